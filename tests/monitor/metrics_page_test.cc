#include <gmock/gmock.h>

#include <set>

#include "monitor/metrics/exposition.h"
#include "tests/monitor/golden.h"
#include "tests/monitor/page.h"
#include "tests/monitor/samples.h"

namespace tokprobe {
namespace {

using namespace std::chrono_literals;
using namespace testing_support;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::SizeIs;

SelfState fixed_self() {
  SelfState self;
  self.reload_timestamp = 1.8e9;
  self.schedule_lag.observe(0.001);
  self.client_lag.observe(0.3);
  self.http_requests[{"/metrics", 200}] = 7;
  self.http_requests[{"other", 404}] = 1;
  self.process = {1.5, 4096, 8192, 9, 1024, 6, 1.7999e9};
  return self;
}

// alpha: speed at 1 ok, at 8 never run, heartbeat ok and then failed; the other one: all untouched.
std::vector<TargetSnapshot> rich_targets() {
  const Config config = rich_config();
  TargetState alpha = initial_state(config, config.targets[0]);
  alpha.identity = {"m\"1\"", "vllm", "0.8.0"};
  ProbeResult second = ok_request(300ms);
  second.warn(Warning::kBurst);
  second.reasoning_text = "hm";
  second.reasoning_tokens = 3;
  second.cached_prompt_tokens = 20;
  apply(run_at("alpha", "speed", run_of({ok_request(), second})), alpha);
  // Of the trend nothing is known yet.
  const Judgement judgement{
      {60, 0.1F, 0.01F}, {Figures{0.5F, 0.75F, 1}, kNoFigures, kNoFigures}, 12};
  apply(run_at("alpha", "speed", run_of({ok_request()})), judgement, alpha);
  apply(run_at("alpha", "heartbeat", run_of({ok_request()})), alpha);
  RunResult bad = run_at("alpha", "heartbeat", run_of({failed_request(Reason::kTimeoutStall)}));
  bad.started += 60s;
  apply(bad, alpha);
  apply_skip("speed", Skip::kOverlap, alpha);
  return {std::make_shared<const TargetState>(alpha),
          std::make_shared<const TargetState>(initial_state(config, config.targets[1]))};
}

TEST(MetricsPage, IsTheGoldenOne) {
  std::string page = metrics_page(rich_targets(), fixed_self());
  page = without_version(std::move(page), "version=\"", "\"");
  expect_golden("metrics.txt", without_revision(std::move(page), "revision=\"", "\""));
}

TEST(MetricsPage, KeepsTheRulesOfTheTextFormatWhateverTheNamesAre) {
  const ParsedPage page = parse_page(metrics_page(rich_targets(), fixed_self()));
  EXPECT_THAT(page.problems, IsEmpty());
  EXPECT_THAT(page.find("tokprobe_runs_total", {{"target", kHostile}, {"team", kHostile}}),
              SizeIs(1));
  EXPECT_THAT(page.find("tokprobe_target_info", {{"model", "m\"1\""}}), SizeIs(1));
}

TEST(MetricsPage, KeepsTheRulesWithoutAnyTarget) {
  EXPECT_THAT(parse_page(metrics_page({}, SelfState{})).problems, IsEmpty());
}

TEST(MetricsPage, ShowsNoPasswordsAndNoErrorText) {
  const std::string page = metrics_page(rich_targets(), fixed_self());
  EXPECT_THAT(page, Not(HasSubstr("hunter")));
  EXPECT_THAT(page, Not(HasSubstr("fell silent after")));
  EXPECT_THAT(page, HasSubstr("10.0.0.5:30000"));
}

// What this version exports, with the labels that the series carry, as rules and dashboards use it.
const std::map<std::string, std::pair<std::string, std::set<std::string>>>& promised() {
  const std::set<std::string> t{"target", "probe", "concurrency"};
  const std::set<std::string> p{"target", "probe"};
  const auto plus = [](std::set<std::string> labels, const std::string& more) {
    labels.insert(more);
    return labels;
  };
  static const std::map<std::string, std::pair<std::string, std::set<std::string>>> kPromised{
      {"runs_total", {"counter", t}},
      {"run_failures_total", {"counter", plus(t, "cause")}},
      {"runs_skipped_total", {"counter", plus(p, "reason")}},
      {"runs_degraded_total", {"counter", p}},
      {"requests_total", {"counter", t}},
      {"request_failures_total", {"counter", plus(t, "reason")}},
      {"request_warnings_total", {"counter", plus(t, "warning")}},
      {"output_tokens_total", {"counter", p}},
      {"prompt_tokens_total", {"counter", p}},
      {"cached_prompt_tokens_total", {"counter", p}},
      {"reasoning_tokens_total", {"counter", p}},
      {"measured_output_tokens_total", {"counter", t}},
      {"measured_run_seconds_total", {"counter", t}},
      {"objective_requests_total", {"counter", plus(t, "objective")}},
      {"objective_violations_total", {"counter", plus(t, "objective")}},
      {"time_to_first_token_seconds", {"histogram", t}},
      {"time_per_output_token_seconds", {"histogram", t}},
      {"inter_chunk_seconds", {"histogram", p}},
      {"request_duration_seconds", {"histogram", p}},
      {"run_output_tokens_per_second", {"gauge", t}},
      {"run_prompt_tokens_per_second", {"gauge", t}},
      {"run_total_tokens_per_second", {"gauge", t}},
      {"run_request_tokens_per_second", {"gauge", t}},
      {"run_prefill_tokens_per_second", {"gauge", t}},
      {"run_time_to_first_token_seconds", {"gauge", t}},
      {"run_time_to_first_token_max_seconds", {"gauge", t}},
      {"run_time_to_first_answer_seconds", {"gauge", t}},
      {"run_time_per_output_token_seconds", {"gauge", t}},
      {"run_inter_chunk_max_seconds", {"gauge", t}},
      {"run_tokens_per_chunk", {"gauge", t}},
      {"run_duration_seconds", {"gauge", t}},
      {"run_phase_seconds", {"gauge", plus(t, "phase")}},
      {"run_client_lag_seconds", {"gauge", t}},
      {"success", {"gauge", t}},
      {"consecutive_failures", {"gauge", t}},
      {"last_run_timestamp_seconds", {"gauge", t}},
      {"last_success_timestamp_seconds", {"gauge", t}},
      {"expected_output_tokens_per_second", {"gauge", t}},
      {"expected_time_to_first_token_seconds", {"gauge", t}},
      {"expected_time_per_output_token_seconds", {"gauge", t}},
      {"expected_samples", {"gauge", t}},
      {"speed_ratio", {"gauge", plus(plus(t, "measure"), "window")}},
      {"probe_interval_seconds", {"gauge", p}},
      {"probe_timeout_seconds", {"gauge", p}},
      {"objective_value", {"gauge", plus(p, "objective")}},
      {"target_info",
       {"gauge", {"target", "url", "api", "server", "server_version", "model", "gpu"}}},
      {"server_running_requests", {"gauge", {"target"}}},
      {"server_waiting_requests", {"gauge", {"target"}}},
      {"server_kv_cache_usage_ratio", {"gauge", {"target"}}},
      {"build_info", {"gauge", {"version", "revision", "method"}}},
      {"config_last_reload_successful", {"gauge", {}}},
      {"config_last_reload_success_timestamp_seconds", {"gauge", {}}},
      {"schedule_lag_seconds", {"histogram", {}}},
      {"client_lag_seconds", {"histogram", {}}},
      {"http_requests_total", {"counter", {"handler", "code"}}}};
  return kPromised;
}

std::set<std::string> labels_of(const Series& series) {
  std::set<std::string> names;
  for (const auto& [name, value] : series.labels) names.insert(name);
  names.erase("le");
  return names;
}

TEST(MetricsPage, HasEveryPromisedFamilyWithItsLabels) {
  const ParsedPage page = parse_page(metrics_page(rich_targets(), fixed_self()));
  for (const auto& [name, type_and_labels] : promised()) {
    SCOPED_TRACE(name);
    const auto& [type, labels] = type_and_labels;
    const std::string full = "tokprobe_" + name;
    ASSERT_TRUE(page.types.contains(full));
    EXPECT_EQ(page.types.at(full), type);
    EXPECT_FALSE(page.helps.at(full).empty());
    const std::string sample = full + (type == "histogram" ? "_count" : "");
    // Everything about a target carries its series label too.
    std::set<std::string> expected = labels;
    if (labels.contains("target")) expected.insert("team");
    const LabelSet alpha = labels.contains("target") ? LabelSet{{"target", "alpha"}} : LabelSet{};
    const auto found = page.find(sample, alpha);
    ASSERT_FALSE(found.empty());
    for (const Series& series : found) EXPECT_EQ(labels_of(series), expected);
  }
}

TEST(MetricsPage, HasNoFamilyThatIsNotDescribed) {
  std::set<std::string> described;
  for (const MetricDescription& m : all_metrics()) {
    EXPECT_TRUE(described.insert(m.name).second) << m.name << " is described twice";
    if (m.name.starts_with("process_")) continue;
    ASSERT_TRUE(m.name.starts_with("tokprobe_")) << m.name;
    EXPECT_TRUE(promised().contains(m.name.substr(9))) << m.name;
  }
  for (const auto& [name, type] : parse_page(metrics_page(rich_targets(), fixed_self())).types) {
    EXPECT_THAT(described, Contains(name));
  }
}

TEST(MetricsPage, NamesEndInTheirUnitOrInTotal) {
  for (const MetricDescription& m : all_metrics()) {
    if (m.name == "tokprobe_build_info" || m.name == "tokprobe_target_info") continue;
    EXPECT_EQ(m.name.ends_with("_total"), m.type == "counter") << m.name;
    EXPECT_THAT(m.name, Not(HasSubstr("milli"))) << m.name;
    EXPECT_THAT(m.help, Not(HasSubstr("\n"))) << m.name;
    EXPECT_THAT(m.help, Not(HasSubstr("\\"))) << m.name;
    EXPECT_THAT(m.help, ::testing::EndsWith(".")) << m.name;
  }
}

TEST(MetricsPage, LeavesOutWhatThisTargetsLabelsDoNotSay) {
  const ParsedPage page = parse_page(metrics_page(rich_targets(), fixed_self()));
  for (const Series& series : page.series) EXPECT_FALSE(series.labels.contains("site"));
}

TEST(MetricsPage, HasEveryFigureOfTheProcess) {
  SelfState self;
  self.process = read_process();
  const ParsedPage page = parse_page(metrics_page({}, self));
  for (const char* name : {"process_cpu_seconds_total", "process_resident_memory_bytes",
                           "process_virtual_memory_bytes", "process_open_fds", "process_max_fds",
                           "process_threads", "process_start_time_seconds"}) {
    ASSERT_TRUE(page.value(name)) << name;
    EXPECT_GE(*page.value(name), 0) << name;
  }
  EXPECT_GE(*page.value("process_threads"), 1);
  EXPECT_GE(*page.value("process_open_fds"), 3);
  EXPECT_GT(*page.value("process_start_time_seconds"), 1.5e9);
}

TEST(MetricsPage, LeavesOutWhatTheKernelDoesNotSay) {
  EXPECT_THAT(metrics_page({}, SelfState{}), Not(HasSubstr("process_")));
}

}  // namespace
}  // namespace tokprobe
