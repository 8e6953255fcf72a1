#include "monitor/sinks/log.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <random>
#include <regex>

#include "monitor/sinks/log_sink.h"
#include "probes/base/text.h"
#include "tests/monitor/golden.h"
#include "tests/monitor/samples.h"

namespace tokprobe {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::SizeIs;

// What a log writes to stderr while `work` goes on.
template <class Work>
std::vector<std::string> logged(LogLevel least, LogFormat format, Work work) {
  testing::internal::CaptureStderr();
  {
    const Log log(least, format);
    work(log);
  }
  return lines_of(testing::internal::GetCapturedStderr());
}

// One of each kind of line, without the times.
std::string golden_lines(LogFormat format) {
  const auto lines = logged(LogLevel::kDebug, format, [](const Log& log) {
    log.debug("plain", {{"number", "1"}, {"empty", ""}});
    log.error("a \"b\" \\ c=d", {{"name", kHostile}, {"raw", "\xFF\x01\xC2\x85"}});
    LogSink sink(log);
    sink.on_run(run_at("alpha", "speed", run_of({ok_request(), ok_request()}, 2)));
    ProbeResult refused = failed_request(Reason::kRateLimited);
    refused.detail = "slow\ndown";
    sink.on_run(run_of({ok_request(), refused, failed_request(Reason::kDns), refused}));
    sink.on_skip(kHostile, "speed", Skip::kOverlap);
    sink.on_identity("alpha", {"m\n1", "vllm", "0.8"});
  });
  static const std::regex kTime("20[0-9-]{8}T[0-9:]{8}\\.[0-9]{3}Z");
  std::string all;
  for (const std::string& line : lines) all += std::regex_replace(line, kTime, "TIME") + "\n";
  return all;
}

TEST(Log, LogfmtIsTheGoldenOne) { expect_golden("log.logfmt", golden_lines(LogFormat::kLogfmt)); }
TEST(Log, JsonIsTheGoldenOne) { expect_golden("log.jsonl", golden_lines(LogFormat::kJson)); }

TEST(Log, BeginsWithTheTimeInUtc) {
  const auto say = [](const Log& log) { log.info("x"); };
  EXPECT_THAT(logged(LogLevel::kInfo, LogFormat::kLogfmt, say).at(0),
              MatchesRegex("time=20[0-9-]{8}T[0-9:]{8}\\.[0-9]{3}Z level=info msg=x"));
  EXPECT_THAT(logged(LogLevel::kInfo, LogFormat::kJson, say).at(0),
              MatchesRegex("\\{\"time\":\"20[0-9-]{8}T[0-9:]{8}\\.[0-9]{3}Z\",\"level\":\"info\","
                           "\"msg\":\"x\"\\}"));
}

TEST(Log, TheLevelFilters) {
  const auto say = [](const Log& log) {
    log.debug("a");
    log.info("b");
    log.warn("c");
    log.error("d");
  };
  EXPECT_THAT(logged(LogLevel::kDebug, LogFormat::kLogfmt, say), SizeIs(4));
  EXPECT_THAT(logged(LogLevel::kInfo, LogFormat::kLogfmt, say), SizeIs(3));
  EXPECT_THAT(logged(LogLevel::kWarn, LogFormat::kLogfmt, say), SizeIs(2));
  const auto worst = logged(LogLevel::kError, LogFormat::kLogfmt, say);
  ASSERT_THAT(worst, SizeIs(1));
  EXPECT_THAT(worst.front(), HasSubstr("level=error msg=d"));
}

TEST(Log, KnowsItsLevelsByNameAndTakesOthersAsInfo) {
  EXPECT_EQ(log_level("debug"), LogLevel::kDebug);
  EXPECT_EQ(log_level("info"), LogLevel::kInfo);
  EXPECT_EQ(log_level("warn"), LogLevel::kWarn);
  EXPECT_EQ(log_level("error"), LogLevel::kError);
  EXPECT_EQ(log_level("Error"), LogLevel::kInfo);
}

// Reads key=value and key="value" as a logfmt reader does; nothing when the line breaks the rules.
std::optional<std::vector<std::pair<std::string, std::string>>> read_logfmt(std::string_view s) {
  std::vector<std::pair<std::string, std::string>> out;
  while (!s.empty()) {
    const auto equals = s.find('=');
    if (equals == std::string_view::npos || equals == 0) return std::nullopt;
    auto& [key, value] = out.emplace_back(s.substr(0, equals), "");
    if (key.find_first_of(" \"\\") != std::string::npos) return std::nullopt;
    s.remove_prefix(equals + 1);
    if (s.starts_with('"')) {
      std::size_t i = 1;
      for (; i < s.size() && s[i] != '"'; ++i) {
        if (s[i] == '\\') ++i;
        if (i < s.size()) value += s[i];
      }
      if (i >= s.size()) return std::nullopt;
      s.remove_prefix(i + 1);
    } else {
      value = s.substr(0, s.find(' '));
      s.remove_prefix(value.size());
    }
    if (!s.empty() && !s.starts_with(' ')) return std::nullopt;
    if (!s.empty()) s.remove_prefix(1);
  }
  return out;
}

TEST(Log, NoValueCanForgeALineOrAKey) {
  std::mt19937 random(1);
  const std::string alphabet = "ab= \"\\\n\r\t{},:'\x01\x7F\x80\xC2\x85\xC3\xBC\xE2\x80\xA8";
  for (int round = 0; round < 2000; ++round) {
    std::string value;
    for (auto n = random() % 12; n > 0; --n) value += alphabet[random() % alphabet.size()];
    const LogFields fields{{"evil", value}, {"last", "1"}};
    const std::string line = format_log(LogFormat::kLogfmt, LogLevel::kInfo, value, fields);
    const std::vector<std::pair<std::string, std::string>> expected{
        {"level", "info"}, {"msg", printable(value)}, {"evil", printable(value)}, {"last", "1"}};
    const auto read = read_logfmt(line);
    ASSERT_TRUE(read) << line;
    ASSERT_EQ(*read, expected) << line;
    const std::string json = format_log(LogFormat::kJson, LogLevel::kInfo, value, fields);
    ASSERT_THAT(json, Not(HasSubstr("\n")));
    const auto object = nlohmann::json::parse("{" + json);
    ASSERT_EQ(object["evil"], printable(value));
    ASSERT_EQ(object.size(), 4U);
  }
}

TEST(Log, CutsLongValues) {
  const std::string line =
      format_log(LogFormat::kLogfmt, LogLevel::kInfo, "m", {{"long", std::string(1'000'000, 'x')}});
  EXPECT_LT(line.size(), 3000U);
  EXPECT_TRUE(line.ends_with("..."));
}

TEST(LogSink, WarnsOfARunThatFailedAndOfNoOther) {
  const auto lines = logged(LogLevel::kWarn, LogFormat::kLogfmt, [](const Log& log) {
    LogSink sink(log);
    sink.on_run(run_of({ok_request()}));
    sink.on_run(run_of({ok_request(), failed_request(Reason::kTls)}));
  });
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_THAT(lines.front(), HasSubstr("reasons=\"tls=1\""));
}

TEST(LogSink, WarnsOfARunWhoseCheckFailed) {
  const auto lines = logged(LogLevel::kWarn, LogFormat::kLogfmt, [](const Log& log) {
    LogSink(log).on_run(run_of({checked(ok_request(), CheckResult::Outcome::kFail)}));
  });
  EXPECT_THAT(lines, SizeIs(1));
}

}  // namespace
}  // namespace tokprobe
