#include "monitor/sinks/storage.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/monitor/samples.h"

namespace tokprobe {

bool operator==(const PromptSizer::Observation& a, const PromptSizer::Observation& b) {
  return a.words == b.words && a.tokens == b.tokens;
}

namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

SavedTarget sample(double run = 1'800'000'000.25) {
  return {{{24, 40}, {400, 512}}, {{"speed", run}, {"heartbeat", 7}}};
}

TEST(State, ComesBackAsItWasWritten) {
  const auto read =
      read_state(write_state({{"a", sample()}, {testing_support::kHostile, {}}}, 123.5));
  ASSERT_TRUE(read) << read.error();
  ASSERT_EQ(read->size(), 2U);
  EXPECT_THAT(read->at("a").prompt_lengths,
              ElementsAre(PromptSizer::Observation{24, 40}, PromptSizer::Observation{400, 512}));
  EXPECT_EQ(read->at("a").last_runs, sample().last_runs);
  EXPECT_THAT(read->at(testing_support::kHostile).last_runs, IsEmpty());
}

TEST(State, IsAJsonObjectThatNamesItsSchema) {
  const auto json = nlohmann::json::parse(write_state({{"a", sample()}}, 123.5));
  EXPECT_EQ(json["schema"], "tokprobe.state/1");
  EXPECT_EQ(json["saved_at_seconds"], 123.5);
  EXPECT_EQ(json["targets"]["a"]["prompt_lengths"][1], nlohmann::json({400, 512}));
  EXPECT_EQ(json["targets"]["a"]["last_runs"]["heartbeat"], 7);
}

TEST(State, PassesOverKeysOfANewerProgram) {
  const auto read = read_state(
      R"({"schema":"tokprobe.state/1","new":[1],"targets":{"a":{"newer":{},"last_runs":{"p":1}}}})");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->at("a").last_runs.at("p"), 1);
}

TEST(State, RefusesAnotherSchemaByName) {
  const auto read = read_state(R"({"schema":"tokprobe.state/2","targets":{}})");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error(), HasSubstr("tokprobe.state/2"));
}

std::string with_target(const std::string& target) {
  return R"({"schema":"tokprobe.state/1","targets":{"a":)" + target + "}}";
}

TEST(State, RefusesWhatIsNoState) {
  for (const std::string& text :
       std::vector<std::string>{"",
                                "{",
                                "null",
                                "[]",
                                "7",
                                "\"x\"",
                                "{}",
                                R"({"schema":1})",
                                R"({"schema":null})",
                                R"({"schema":"tokprobe.state/1"})",
                                R"({"schema":"tokprobe.state/1","targets":{}} x)",
                                std::string("\xFF\xFE{}"),
                                std::string(4, '\0'),
                                with_target("1"),
                                with_target("[]"),
                                with_target("null"),
                                with_target(R"({"last_runs":[1]})") + "x",
                                with_target(R"({"last_runs":{"p":"x"}})"),
                                with_target(R"({"last_runs":{"p":null}})"),
                                with_target(R"({"last_runs":{"p":1e999}})"),
                                with_target(R"({"prompt_lengths":[1]})"),
                                with_target(R"({"prompt_lengths":[[1]]})"),
                                with_target(R"({"prompt_lengths":[[]]})"),
                                with_target(R"({"prompt_lengths":[["a",1]]})"),
                                with_target(R"({"prompt_lengths":[{"a":1}]})")}) {
    const auto read = read_state(text);
    ASSERT_FALSE(read) << text;
    EXPECT_FALSE(read.error().empty()) << text;
  }
}

TEST(State, SurvivesAnyDepthOfNesting) {
  const std::string deep = std::string(500'000, '[') + std::string(500'000, ']');
  EXPECT_FALSE(read_state(deep));
  EXPECT_FALSE(read_state(with_target(R"({"prompt_lengths":)" + deep + "}")));
  EXPECT_FALSE(read_state(with_target(R"({"prompt_lengths":[[)" + deep + ",1]]}")));
  EXPECT_FALSE(read_state(with_target(R"({"last_runs":{"p":)" + deep + "}}")));
  EXPECT_TRUE(read_state(with_target(R"({"unknown":)" + deep + "}")));
}

TEST(State, HoldsNumbersThatNoPromptHasWithinBounds) {
  for (const char* absurd : {"1e300", "-1e300", "9223372036854775807", "18446744073709551615",
                             "99999999999999999999999", "-5", "4294967297", "0.5"}) {
    const std::string pair = std::string("[") + absurd + "," + absurd + "]";
    const auto read = read_state(with_target(R"({"prompt_lengths":[)" + pair + "]}"));
    ASSERT_TRUE(read) << absurd << read.error();
    const auto& length = read->at("a").prompt_lengths.at(0);
    EXPECT_GE(length.words, 0) << absurd;
    EXPECT_LE(length.words, 10'000'000) << absurd;
    EXPECT_EQ(length.words, length.tokens) << absurd;
  }
}

class StorageTest : public ::testing::Test {
 protected:
  StorageTest()
      : directory_(fs::path(testing::TempDir()) /
                   (std::string("tokprobe-storage-") +
                    ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(directory_);
  }
  ~StorageTest() override { fs::remove_all(directory_); }

  std::shared_ptr<Storage> open() {
    auto opened = Storage::open(directory_.string(), problem_);
    EXPECT_TRUE(opened) << opened.error();
    return opened ? *opened : nullptr;
  }
  void write(const std::string& name, const std::string& text) {
    fs::create_directories(directory_);
    std::ofstream(directory_ / name, std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream file(directory_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(directory_)) {
      out.push_back(entry.path().filename().string());
    }
    return out;
  }

  fs::path directory_;
  std::string problem_;
};

TEST_F(StorageTest, MakesItsDirectoryAndKeepsWhatWasPutOverARestart) {
  directory_ /= "deep/er";
  {
    const auto storage = open();
    storage->put("a", sample());
    const auto saved = storage->save(1);
    ASSERT_TRUE(saved) << saved.error();
    EXPECT_TRUE(*saved);
  }
  const auto storage = open();
  EXPECT_EQ(storage->get("a").last_runs, sample().last_runs);
  EXPECT_EQ(storage->get("a").prompt_lengths.size(), 2U);
  EXPECT_THAT(storage->get("never heard of").last_runs, IsEmpty());
  EXPECT_EQ(problem_, "");
}

TEST_F(StorageTest, ReplacesTheFileWholeAndLeavesNothingBeside) {
  const auto storage = open();
  for (int i = 0; i < 3; ++i) {
    storage->put("a", sample(i));
    ASSERT_TRUE(storage->save(i));
  }
  EXPECT_THAT(names(), UnorderedElementsAre("lock", "state.json"));
  EXPECT_EQ(read_state(read("state.json"))->at("a").last_runs.at("speed"), 2);
}

TEST_F(StorageTest, WritesOnlyWhenSomethingWasPut) {
  const auto storage = open();
  EXPECT_FALSE(*storage->save(1));
  EXPECT_FALSE(fs::exists(directory_ / "state.json"));
  storage->put("a", sample());
  EXPECT_TRUE(*storage->save(2));
  EXPECT_FALSE(*storage->save(3));
}

TEST_F(StorageTest, IsForTheOwnerOnly) {
  const auto storage = open();
  storage->put("a", sample());
  ASSERT_TRUE(storage->save(1));
  EXPECT_EQ(fs::status(directory_ / "state.json").permissions() & fs::perms(077), fs::perms::none);
}

TEST_F(StorageTest, BelongsToOneAtATime) {
  auto first = open();
  std::string problem;
  const auto second = Storage::open(directory_.string(), problem);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error(), HasSubstr(directory_.string()));
  EXPECT_THAT(second.error(), HasSubstr("in use"));
  first.reset();
  EXPECT_TRUE(Storage::open(directory_.string(), problem));
}

TEST_F(StorageTest, PutsAFileThatCannotBeReadAside) {
  write("state.json", "{broken");
  const auto storage = open();
  EXPECT_THAT(problem_, HasSubstr("state.json.bad"));
  EXPECT_EQ(read("state.json.bad"), "{broken");
  EXPECT_FALSE(fs::exists(directory_ / "state.json"));
  EXPECT_THAT(storage->get("a").last_runs, IsEmpty());
  storage->put("a", sample());
  EXPECT_TRUE(storage->save(1));
}

TEST_F(StorageTest, PutsAStateOfANewerNumberAside) {
  write("state.json", R"({"schema":"tokprobe.state/2","targets":{}})");
  open();
  EXPECT_THAT(problem_, HasSubstr("tokprobe.state/2"));
  EXPECT_TRUE(fs::exists(directory_ / "state.json.bad"));
}

TEST_F(StorageTest, AFileThatCannotBeWrittenIsAnErrorAndTheOldOneStaysWhole) {
  const auto storage = open();
  storage->put("a", sample(1));
  ASSERT_TRUE(storage->save(1));
  const std::string before = read("state.json");
  fs::create_directory(directory_ / "state.json.new");  // stops even a superuser
  storage->put("a", sample(2));
  const auto failed = storage->save(2);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error(), HasSubstr("state.json"));
  EXPECT_EQ(read("state.json"), before);
  EXPECT_FALSE(storage->save(3)) << "what was not saved is still to be saved";
  fs::remove(directory_ / "state.json.new");
  ASSERT_TRUE(storage->save(4));
  EXPECT_EQ(read_state(read("state.json"))->at("a").last_runs.at("speed"), 2);
}

TEST_F(StorageTest, AFullDiskIsAnErrorAndTheOldFileStaysWhole) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const auto storage = open();
  storage->put("a", sample(1));
  ASSERT_TRUE(storage->save(1));
  const std::string before = read("state.json");
  fs::create_symlink("/dev/full", directory_ / "state.json.new");
  storage->put("a", sample(2));
  const auto failed = storage->save(2);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error(), HasSubstr("No space left"));
  EXPECT_EQ(read("state.json"), before);
  EXPECT_THAT(names(), UnorderedElementsAre("lock", "state.json"));
  ASSERT_TRUE(storage->save(3));
  EXPECT_EQ(read_state(read("state.json"))->at("a").last_runs.at("speed"), 2);
}

TEST_F(StorageTest, ADirectoryThatCannotBeUsedIsAnErrorThatNamesIt) {
  write("file", "x");
  std::string problem;
  const auto opened = Storage::open((directory_ / "file").string(), problem);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error(), HasSubstr((directory_ / "file").string()));
  EXPECT_FALSE(Storage::open("/proc/tokprobe-state", problem));
}

}  // namespace
}  // namespace tokprobe
