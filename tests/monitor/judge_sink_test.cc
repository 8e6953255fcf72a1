#include "monitor/sinks/judge_sink.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "monitor/judge/sample.h"
#include "tests/monitor/samples.h"
#include "tests/support/fake_clock.h"

namespace tokprobe {
namespace {

namespace fs = std::filesystem;
using namespace testing_support;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

RunResult run_after(double hours, Duration longer = Duration(0)) {
  ProbeResult request = ok_request();
  request.end += longer;
  RunResult run = run_of({request});
  run.load = {2, 0, 0.1};
  run.started += std::chrono::seconds(static_cast<long>(hours * 3600));
  return run;
}

class JudgeSinkTest : public ::testing::Test {
 protected:
  JudgeSinkTest()
      : directory_(fs::path(testing::TempDir()) /
                   (std::string("tokprobe-judge-") +
                    ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(directory_);
    open();
  }
  ~JudgeSinkTest() override {
    sink_.reset();
    storage_.reset();
    fs::remove_all(directory_);
  }
  void open(const Config& config = small_config()) {
    sink_.reset();
    storage_.reset();
    std::string problem;
    storage_ = Storage::open(directory_.string(), problem).value();
    sink_ = std::make_unique<JudgeSink>(
        config, JudgeTimes{}, storage_.get(), log_,
        [this](const RunResult&, const Judgement& j) { said_.push_back(j); });
  }
  fs::path file() const { return directory_ / "judge-t.json"; }

  FakeClock clock_;
  Log log_{LogLevel::kError, LogFormat::kLogfmt};
  fs::path directory_;
  std::shared_ptr<Storage> storage_;
  std::unique_ptr<JudgeSink> sink_;
  std::vector<Judgement> said_;
};

TEST_F(JudgeSinkTest, PublishesWhatTheJudgeSays) {
  for (int i = 0; i < 30; ++i) sink_->on_run(run_after(i));
  ASSERT_EQ(said_.size(), 30U);
  EXPECT_TRUE(std::isnan(said_.front().expected[0]));
  EXPECT_NEAR(said_.back().expected[0], 10 / 0.19, 0.1);
  EXPECT_NEAR(said_.back().expected[1], 0.1, 1e-6);
  EXPECT_NEAR(said_.back().ratios[0][0], 1, 1e-3);
}

TEST_F(JudgeSinkTest, TheMemoryComesBackFromTheStorage) {
  for (int i = 0; i < 30; ++i) sink_->on_run(run_after(i));
  ASSERT_TRUE(sink_->save(clock_, true));
  open();
  sink_->on_run(run_after(30));
  EXPECT_NEAR(said_.back().expected[0], 10 / 0.19, 0.1);
  EXPECT_NEAR(said_.back().ratios[0][0], 1, 1e-3);
}

TEST_F(JudgeSinkTest, AFileOfAnotherMethodStartsAnew) {
  for (int i = 0; i < 30; ++i) sink_->on_run(run_after(i));
  ASSERT_TRUE(sink_->save(clock_, true));
  auto json = nlohmann::json::parse(*storage_->read_file("judge-t.json"));
  json["method"] = json["method"].get<int>() + 1;
  ASSERT_TRUE(storage_->write_file("judge-t.json", json.dump()));
  ::testing::internal::CaptureStderr();
  Log log(LogLevel::kWarn, LogFormat::kLogfmt);
  JudgeSink anew(small_config(), {}, storage_.get(), log, [](const auto&, const auto&) {});
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("measured by method"));
  EXPECT_TRUE(fs::exists(file().string() + ".bad"));
}

TEST_F(JudgeSinkTest, SavesATargetEveryTenMinutesAndAtTheEnd) {
  sink_->on_run(run_after(0));
  ASSERT_TRUE(sink_->save(clock_, false));
  EXPECT_TRUE(fs::exists(file()));
  fs::remove(file());
  sink_->on_run(run_after(1));
  clock_.advance(9min);
  ASSERT_TRUE(sink_->save(clock_, false));
  EXPECT_FALSE(fs::exists(file()));
  ASSERT_TRUE(sink_->save(clock_, true));
  EXPECT_TRUE(fs::exists(file()));
}

TEST_F(JudgeSinkTest, AcceptingIsForTargetsThatExist) {
  for (int i = 0; i < 40; ++i) sink_->on_run(run_after(i));
  const auto accepted = sink_->accept("t");
  ASSERT_TRUE(accepted);
  EXPECT_EQ(*accepted, 1);
  const auto stranger = sink_->accept("stranger");
  ASSERT_FALSE(stranger);
  EXPECT_THAT(stranger.error(), HasSubstr("stranger"));
}

TEST_F(JudgeSinkTest, AChangeOfTheServersVersionIsTriedFirst) {
  sink_->on_identity("t", {"m", "vllm", "1"});
  for (int i = 0; i < 30; ++i) sink_->on_run(run_after(i));
  const std::size_t before = said_.back().samples;
  sink_->on_identity("t", {"m", "vllm", "2"});
  for (int i = 30; i < 80; ++i) sink_->on_run(run_after(i, 100ms));
  EXPECT_LE(said_.back().samples, before + 2);
  EXPECT_LT(said_.back().ratios[0][0], 0.8F);
}

TEST_F(JudgeSinkTest, ATargetsNameIsNoPath) {
  Config config = small_config();
  config.targets.front().name = "../../evil" + kHostile;
  open(config);
  RunResult run = run_after(0);
  run.target = config.targets.front().name;
  sink_->on_run(run);
  ASSERT_TRUE(sink_->save(clock_, true));
  int files = 0;
  for (const auto& entry : fs::directory_iterator(directory_)) {
    files += entry.path().filename().string().starts_with("judge-") ? 1 : 0;
  }
  EXPECT_EQ(files, 1);
}

TEST(SampleOf, TakesNothingOfRunsThatCannotBeCompared) {
  EXPECT_TRUE(sample_of(run_of({ok_request()})));
  EXPECT_FALSE(sample_of(run_of({ok_request(), failed_request(Reason::kHttp5xx)})));
  for (const Warning warning : {Warning::kShortOutput, Warning::kClientLimited}) {
    ProbeResult doubtful = ok_request();
    doubtful.warn(warning);
    EXPECT_FALSE(sample_of(run_of({doubtful})));
  }
}

TEST(JudgeDocument, RefusesWhatItDidNotWrite) {
  const std::string good = write_judge("t", {{{"p", 1}, JudgeMemory(JudgeTimes{})}});
  ASSERT_TRUE(read_judge(good, {}));
  for (std::size_t cut = 0; cut + 2 < good.size(); cut += 3) {
    EXPECT_FALSE(read_judge(good.substr(0, cut), {})) << cut;
  }
  for (const char* bad :
       {"", "[]", "null", R"({"schema":"tokprobe.judge/2","method":1,"series":[]})",
        R"({"schema":"tokprobe.judge/1","method":1,"series":[{}]})",
        R"({"schema":"tokprobe.judge/1","method":1,"series":{"a":1}})"}) {
    EXPECT_FALSE(read_judge(bad, {})) << bad;
  }
}

TEST(JudgeDocument, RefusesTimesOutOfRangeAndColumnsOfDifferentLengths) {
  Judge judge;
  for (int i = 0; i < 5; ++i) {
    judge.admit({1e9 + 60 * i, 1, 0, {1, 1, 1}}, "v");
  }
  auto json = nlohmann::json::parse(write_judge("t", {{{"p", 1}, judge.memory()}}));
  auto& verdicts = json["series"][0]["verdicts"];
  auto turned = json;
  turned["series"][0]["verdicts"]["time"][1] = 1e300;
  EXPECT_FALSE(read_judge(turned.dump(), {}));
  verdicts["ttft"].erase(0);
  EXPECT_FALSE(read_judge(json.dump(), {}));
}

}  // namespace
}  // namespace tokprobe
