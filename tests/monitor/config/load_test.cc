#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "files.h"

namespace tokprobe {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kGood = "targets: [{name: a, url: http://127.0.0.1:8000}]\n";

std::string report(const std::string& text) { return load(text).report(); }

TEST(Load, TakesAnEmptyTextForAProblem) {
  EXPECT_EQ(report(""), "f.yml:1:1: the file is empty; the key 'targets' is needed\n");
  EXPECT_EQ(report("---\n"), "f.yml:1:1: the file is empty; the key 'targets' is needed\n");
  EXPECT_EQ(report("~\n"), "f.yml:1:1: the file is empty; the key 'targets' is needed\n");
}

TEST(Load, TakesAByteOrderMarkAndWindowsLineEnds) {
  const std::string text = "\xEF\xBB\xBFtargets:\r\n  - name: a\r\n    url: http://127.0.0.1:1\r\n";
  const LoadResult result = load(text);
  ASSERT_TRUE(result.config.has_value()) << result.report();
  EXPECT_EQ(result.config->targets[0].name, "a");
}

TEST(Load, CountsColumnsInCharacters) {
  EXPECT_EQ(
      report("targets: [{name: \"\u00e9\u00e9\u00e9\", url: http://127.0.0.1:1, apii: auto}]"),
      "f.yml:1:50: unknown key 'apii'; did you mean 'api'?\n");
}

TEST(Load, RefusesBytesThatAParserWouldStumbleOver) {
  EXPECT_EQ(report(std::string(kGood) + '\0'),
            "f.yml:2:1: a NUL byte; is this a text file in UTF-8?\n");
  EXPECT_EQ(report(std::string(kGood) + "\x04 x"), "f.yml:2:1: control character U+0004\n");
  EXPECT_EQ(report("a: \xC3\xA9\xFF"),
            "f.yml:1:5: byte 0xFF is not UTF-8; save the file as UTF-8\n");
  EXPECT_EQ(report("\xFF\xFE"
                   "a"),
            "f.yml:1:1: byte 0xFF is not UTF-8; save the file as UTF-8\n");
  EXPECT_EQ(report("a: 1\rb: 2\n"), "f.yml:1:5: control character U+000D\n");
}

TEST(Load, RefusesTextsThatAreTooLarge) {
  EXPECT_EQ(report(std::string(kMaxConfigBytes + 1, '#')), "f.yml: larger than 4 MiB\n");
  EXPECT_EQ(report("a: " + std::string(10'001, 'x')),
            "f.yml:1:4: a text of more than 10000 bytes\n");
  EXPECT_EQ(report("a: 1\n" + std::string(20'001, '#')),
            "f.yml:2:1: a line of more than 20000 bytes\n");
}

TEST(Load, StopsAtDepthBombs) {
  for (const std::string unit : {"[", "{", "- ", "? ", "{a: ", "[[{"}) {
    std::string text;
    while (text.size() < 10'000) text += unit;
    EXPECT_THAT(report(text), HasSubstr("nested too deeply")) << unit;
  }
}

TEST(Load, StopsAtAliasBombs) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int j = 0; j < 8; ++j) text += ", " + last;
    text += "]\n";
  }
  EXPECT_THAT(report(text), HasSubstr("too many values, aliases included"));
}

TEST(Load, CountsTheTextsBehindAliases) {
  std::string text = "a: &a \"" + std::string(9'000, 'x') + "\"\nb:\n";
  for (int i = 0; i < 10'000; ++i) text += " - *a\n";
  EXPECT_THAT(report(text), HasSubstr("too many values, aliases included"));
}

TEST(Load, TakesThousandsOfTargetsAndWrongNames) {
  std::string text = "targets:\n";
  std::string names;
  for (int i = 0; i < 5'000; ++i) {
    const std::string number = std::to_string(i);
    text +=
        "  - {name: server-" + number + ", url: http://127.0.0.1:8000, model: m" + number + "}\n";
    names += "      - sever-" + number + "\n";
  }
  EXPECT_TRUE(load(text).config.has_value());
  EXPECT_EQ(load(text + "probes:\n  - name: p\n    targets:\n" + names).problems.size(),
            ProblemList::kMaxProblems);
}

TEST(Load, BoundsTheReport) {
  std::string text(kGood);
  for (int i = 0; i < 5'000; ++i) text += "x" + std::to_string(i) + ": 1\n";
  EXPECT_EQ(load(text).problems.size(), ProblemList::kMaxProblems);
}

TEST(Load, ShowsForeignTextOnOneLine) {
  EXPECT_EQ(load_config("x", "a\nb.yml", environment_of({})).report(),
            "a b.yml:1:1: expected a table of keys, found 'x'\n");
}

TEST(LoadFile, SaysWhyAFileCannotBeRead) {
  EXPECT_EQ(load_config_file("/no/such.yml", environment_of({})).report(),
            "/no/such.yml: cannot be read: No such file or directory\n");
  EXPECT_EQ(load_config_file("/", environment_of({})).report(),
            "/: cannot be read: Is a directory\n");
  EXPECT_EQ(load_config_file("/dev/zero", environment_of({})).report(),
            "/dev/zero: larger than 4 MiB\n");
}

TEST(LoadFile, RelativePathsCountFromTheFolderOfTheFile) {
  const std::string path = testing::TempDir() + "relative_paths.yml";
  std::ofstream(path)
      << "targets: [{name: t, url: 'https://h', api_key_file: keys/a, ca_file: /abs/ca.pem}]\n";
  const LoadResult result = load_config_file(path, {});
  std::filesystem::remove(path);
  ASSERT_TRUE(result) << result.report();
  EXPECT_EQ(result.config->targets[0].api_key_file, testing::TempDir() + "keys/a");
  EXPECT_EQ(result.config->targets[0].ca_file, "/abs/ca.pem");
}

TEST(Load, AModelNameIsSomebodyElsesAndMayHoldAnything) {
  const LoadResult result =
      load_config(R"(targets: [{name: t, url: 'http://h', model: "a \"b\"\nc"}])", "f", {});
  ASSERT_TRUE(result) << result.report();
  EXPECT_EQ(result.config->targets[0].model, "a \"b\"\nc");
}

TEST(LoadFile, TakesVariablesFromTheProcess) {
  ASSERT_EQ(setenv("TOKPROBE_CONFIG_TEST", "from-env", 1), 0);
  EXPECT_EQ(process_environment()("TOKPROBE_CONFIG_TEST"), "from-env");
  ASSERT_EQ(unsetenv("TOKPROBE_CONFIG_TEST"), 0);
  EXPECT_EQ(process_environment()("TOKPROBE_CONFIG_TEST"), std::nullopt);
}

}  // namespace
}  // namespace tokprobe
