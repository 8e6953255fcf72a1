#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "monitor/report/documents.h"
#include "monitor/report/table.h"
#include "probes/measures.h"
#include "tests/monitor/golden.h"
#include "tests/monitor/samples.h"

namespace tokprobe {
namespace {

using namespace std::chrono_literals;
using namespace testing_support;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kPass = CheckResult::Outcome::kPass;

ProbeResult rich_request() {
  ProbeResult r = checked(ok_request(), kPass);
  r.reasoning_text = "let me think\nfirst";
  r.timing.first_answer = 140ms;
  r.reasoning_tokens = 4;
  r.cached_prompt_tokens = 30;
  r.phases.tls = 5ms;
  r.text = "a \"quoted\"\nline with \xC3\xBC and \xFF";
  r.warn(Warning::kPromptCached);
  r.warn(Warning::kBurst);
  return r;
}

ProbeResult refused_request() {
  ProbeResult r = failed_request(Reason::kRateLimited);
  r.http_status = 429;
  r.retry_after_seconds = 2.5;
  r.detail = "slow down";
  return r;
}

RunResult mixed_run() {
  ProbeResult counted = ok_request(30ms);
  counted.timing.token_source = TokenSource::kEvents;
  counted.warn(Warning::kUsageMissing);
  RunResult run = run_of({rich_request(), counted, refused_request(), refused_request(),
                          failed_request(Reason::kConnect, 10ms)},
                         2);
  run.unmeasured = {ok_request()};
  return run;
}

TEST(ProbeText, IsTheGoldenOne) {
  std::string all;
  const auto add = [&all](const char* title, const ProbeResult& r, bool with_text) {
    all += std::string("## ") + title + "\n" + probe_text(r, with_text) + "\n";
  };
  add("ok, with its text", rich_request(), true);
  add("ok, without its text", rich_request(), false);
  ProbeResult silent = rich_request();
  silent.text.clear();
  add("only reasoning", silent, true);
  ProbeResult whole = ok_request();
  whole.timing = {};
  whole.timing.output_tokens = 5;
  whole.timing.token_source = TokenSource::kEvents;
  whole.arrivals.resize(1);
  whole.prompt_tokens.reset();
  add("in one piece", whole, true);
  add("refused", refused_request(), true);
  add("never connected", failed_request(Reason::kDns), true);
  expect_golden("probe_text.txt", all);
}

TEST(RunText, IsTheGoldenOne) {
  std::string all = "## mixed\n" + run_text(mixed_run());
  all += "\n## all failed\n" + run_text(run_of({failed_request(Reason::kConnect)}));
  all += "\n## all ok\n" + run_text(run_of({ok_request(), ok_request(200ms)}, 128));
  expect_golden("run_text.txt", all);
}

TEST(ProbeDocument, IsTheGoldenOne) {
  expect_golden("probe_ok.json", probe_document(rich_request()));
  expect_golden("probe_failed.json", probe_document(refused_request()));
}

TEST(RunDocument, IsTheGoldenOne) {
  expect_golden("run.json", without_version(run_document(mixed_run()), "\"version\": \"", "\""));
}

TEST(ProbeDocument, HasEveryPromisedKey) {
  const json document = json::parse(probe_document(failed_request(Reason::kDns)));
  for (const char* key : {"schema",
                          "ok",
                          "reason",
                          "detail",
                          "http_status",
                          "streamed",
                          "ttft_seconds",
                          "time_to_first_answer_seconds",
                          "last_token_seconds",
                          "duration_seconds",
                          "tpot_seconds",
                          "output_tokens",
                          "token_source",
                          "prompt_tokens",
                          "cached_prompt_tokens",
                          "reasoning_tokens",
                          "finish_reason",
                          "text",
                          "reasoning_text",
                          "tool_arguments",
                          "retry_after_seconds",
                          "chunks",
                          "inter_chunk_max_seconds",
                          "warnings",
                          "checks",
                          "phases"}) {
    EXPECT_TRUE(document.contains(key)) << key;
  }
  EXPECT_EQ(document["schema"], "tokprobe.probe/1");
}

TEST(ProbeDocument, WritesNullForWhatWasNotMeasuredAndANumberOfTokensAlways) {
  const json document = json::parse(probe_document(failed_request(Reason::kDns)));
  for (const auto& [key, value] : document.items()) {
    if (!key.ends_with("_seconds") && key != "http_status" && key != "finish_reason" &&
        key != "prompt_tokens" && key != "cached_prompt_tokens" && key != "reasoning_tokens") {
      continue;
    }
    EXPECT_TRUE(value.is_null()) << key << " is " << value;
  }
  EXPECT_EQ(document["output_tokens"], 0);
  for (const auto& [phase, value] : document["phases"].items()) EXPECT_TRUE(value.is_null());
}

TEST(ProbeDocument, SurvivesTextThatIsNotUtf8) {
  ProbeResult r = ok_request();
  r.text = std::string("\xFF\x00\x80", 3);
  r.finish_reason = "\xC3";
  r.tool_arguments = "\xED\xA0\x80";
  EXPECT_TRUE(json::accept(probe_document(r)));
}

TEST(RunDocument, HasEveryMeasureAndNullWhereNothingWasOk) {
  const json good = json::parse(run_document(mixed_run()));
  const json bad = json::parse(run_document(run_of({failed_request(Reason::kDns)})));
  EXPECT_EQ(good["schema"], "tokprobe.run/1");
  for (const Measure& m : all_measures()) {
    EXPECT_TRUE(good.at(std::string(m.key)).is_number()) << m.key;
    EXPECT_TRUE(bad.at(std::string(m.key)).is_null()) << m.key;
  }
  EXPECT_EQ(good["attempted"], 5);
  EXPECT_EQ(good["ok"], 2);
  EXPECT_EQ(good["failed"], 3);
  EXPECT_EQ(good["requests"].size(), 5U);
  EXPECT_EQ(good["unmeasured_requests"], 1);
}

TEST(RunDocument, CountsTheStartsFromTheEarliest) {
  const json document =
      json::parse(run_document(run_of({ok_request(500ms), ok_request(200ms)}, 2)));
  EXPECT_DOUBLE_EQ(document["requests"][0]["start_seconds"], 0.3);
  EXPECT_EQ(document["requests"][1]["start_seconds"], 0);
}

TEST(RunDocument, SaysWhenItWasCutShort) {
  RunResult run = run_of({});
  run.cancelled = true;
  const json document = json::parse(run_document(run));
  EXPECT_EQ(document["complete"], false);
  EXPECT_EQ(document["requests"], json::array());
}

TEST(RunText, HasThePromisedColumnsInTheirOrder) {
  const std::string header = lines_of(run_text(run_of({ok_request()}))).front();
  std::size_t at = 0;
  for (const char* column :
       {"C", "Agg tok/s", "Per-req tok/s", "TTFT(s)", "Tokens", "Wall(s)", "Ok", "Fail"}) {
    at = header.find(column, at);
    ASSERT_NE(at, std::string::npos) << column << " in " << header;
  }
}

TEST(TextTable, StaysStraightWithUmlautsAndHasNoTrailingSpaces) {
  TextTable table{{"name", "n", "note"},
                  {false, true, false},
                  {{"M\xC3\xBCller", "7", ""}, {"Li", "1234", "x"}}};
  EXPECT_EQ(table.render(), "name       n  note\nM\xC3\xBCller     7\nLi      1234  x\n");
}

TEST(ProbeText, CannotBeMadeToForgeALine) {
  ProbeResult r = ok_request();
  r.text = "x\nresult                 FAILED\r\x1b[31m";
  r.finish_reason = "stop\nhttp status 500";
  const std::string text = probe_text(r, true);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  EXPECT_THAT(text, Not(HasSubstr("\nresult ")));
  EXPECT_THAT(text, Not(HasSubstr("\nhttp status 500")));
}

}  // namespace
}  // namespace tokprobe
