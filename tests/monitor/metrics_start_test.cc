#include <gmock/gmock.h>

#include "monitor/config/cost.h"
#include "monitor/config/objectives.h"
#include "monitor/metrics/exposition.h"
#include "tests/monitor/page.h"
#include "tests/monitor/samples.h"

namespace tokprobe {
namespace {

using namespace testing_support;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<Objective> every_objective() {
  std::vector<Objective> all;
  for (const ObjectiveRow& row : kObjectives) all.push_back({std::string(row.key), 0.5});
  return all;
}

ParsedPage untouched(const Config& config) {
  return parse_page(page_of(initial_state(config, config.targets.front())));
}

TEST(MetricsAtStart, EveryCounterOfEveryCombinationIsThereAtZero) {
  const ParsedPage page = untouched(small_config({1, 8}, every_objective()));
  for (const char* level : {"1", "8"}) {
    const LabelSet scope{{"target", "t"}, {"probe", "p"}, {"concurrency", level}};
    const auto zeros = [&](const char* name, std::size_t count) {
      const auto found = page.find(name, scope);
      EXPECT_THAT(found, SizeIs(count)) << name;
      for (const Series& series : found) EXPECT_EQ(series.value, 0) << name;
    };
    zeros("tokprobe_runs_total", 1);
    zeros("tokprobe_run_failures_total", 2);
    zeros("tokprobe_requests_total", 1);
    zeros("tokprobe_request_failures_total", kReasonCount - 2);
    zeros("tokprobe_request_warnings_total", kWarningCount);
    zeros("tokprobe_measured_output_tokens_total", 1);
    zeros("tokprobe_measured_run_seconds_total", 1);
    zeros("tokprobe_objective_requests_total", kObjectives.size());
    zeros("tokprobe_objective_violations_total", kObjectives.size());
    zeros("tokprobe_time_to_first_token_seconds_count", 1);
    zeros("tokprobe_time_per_output_token_seconds_count", 1);
  }
  for (const char* name : {"runs_degraded_total", "output_tokens_total", "prompt_tokens_total",
                           "cached_prompt_tokens_total", "reasoning_tokens_total",
                           "inter_chunk_seconds_count", "request_duration_seconds_count"}) {
    EXPECT_EQ(page.value(std::string("tokprobe_") + name), 0) << name;
  }
  for (const char* reason : {"overlap", "budget", "maintenance"}) {
    EXPECT_EQ(page.value("tokprobe_runs_skipped_total", {{"reason", reason}}), 0) << reason;
  }
}

TEST(MetricsAtStart, OkAndCancelledAreNoFailures) {
  const ParsedPage page = untouched(small_config());
  EXPECT_THAT(page.find("tokprobe_request_failures_total", {{"reason", "ok"}}), IsEmpty());
  EXPECT_THAT(page.find("tokprobe_request_failures_total", {{"reason", "cancelled"}}), IsEmpty());
}

TEST(MetricsAtStart, WhatIsNotKnownIsAbsent) {
  const ParsedPage page = untouched(small_config());
  for (const Series& series : page.series) {
    EXPECT_FALSE(series.name.starts_with("tokprobe_run_") && !series.name.ends_with("_total"))
        << series.name;
  }
  for (const char* name : {"success", "last_run_timestamp_seconds",
                           "last_success_timestamp_seconds", "objective_value"}) {
    EXPECT_THAT(page.find(std::string("tokprobe_") + name), IsEmpty()) << name;
  }
}

TEST(MetricsAtStart, WhatIsConfiguredIsKnown) {
  Config config = small_config({1, 2}, {{"availability", 0.995}, {"time_to_first_token", 2}});
  config.probes.front().interval = std::chrono::minutes(5);
  config.probes.front().timeout.total = std::chrono::seconds(90);
  const ParsedPage page = untouched(config);
  EXPECT_EQ(page.value("tokprobe_probe_interval_seconds"), 300);
  EXPECT_EQ(page.value("tokprobe_probe_timeout_seconds"), 90);
  EXPECT_EQ(page.value("tokprobe_objective_value", {{"objective", "availability"}}), 0.995);
  EXPECT_EQ(page.value("tokprobe_objective_value", {{"objective", "time_to_first_token"}}), 2);
}

TEST(MetricsAtStart, ProbesThatAreOffOrForOthersHaveNoSeries) {
  const Config config = rich_config();
  const ParsedPage alpha = parse_page(page_of(initial_state(config, config.targets[0])));
  const ParsedPage other = parse_page(page_of(initial_state(config, config.targets[1])));
  EXPECT_THAT(alpha.find("tokprobe_runs_total", {{"probe", "speed"}}), SizeIs(2));
  EXPECT_THAT(other.find("tokprobe_runs_total", {{"probe", "speed"}}), IsEmpty());
  EXPECT_THAT(alpha.find("tokprobe_runs_total", {{"probe", "off"}}), IsEmpty());
}

TEST(MetricsAtStart, AConfiguredModelIsKnownAndAnAutomaticOneIsNot) {
  Config config = small_config();
  EXPECT_EQ(untouched(config).find("tokprobe_target_info").front().labels.at("model"), "");
  config.targets.front().model = "llama";
  EXPECT_EQ(untouched(config).find("tokprobe_target_info").front().labels.at("model"), "llama");
}

// A state in which nothing is unknown: a run with reasoning, TLS and a check.
TargetState everything_known(int objectives) {
  std::vector<Objective> some = every_objective();
  some.resize(static_cast<std::size_t>(objectives));
  ProbeResult request = ok_request();
  request.reasoning_text = "hm";
  request.phases.tls = std::chrono::milliseconds(3);
  TargetState state = state_after(small_config({1}, some), {run_of({request})});
  apply(run_of({request}), Judgement{{1, 1, 1}, {Figures{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, 9},
        state);
  return state;
}

int count(const ParsedPage& page, bool probe, bool level) {
  return static_cast<int>(std::count_if(page.series.begin(), page.series.end(), [&](const auto& s) {
    return s.labels.contains("target") && s.labels.contains("probe") == probe &&
           s.labels.contains("concurrency") == level;
  }));
}

TEST(SeriesPerScope, IsWhatAPageReallyHas) {
  for (const int objectives : {0, 1, 6}) {
    const ParsedPage page = parse_page(page_of(everything_known(objectives)));
    const SeriesPerScope scope = series_per_scope(objectives);
    EXPECT_EQ(scope.level, count(page, true, true)) << objectives;
    EXPECT_EQ(scope.probe, count(page, true, false)) << objectives;
    EXPECT_EQ(scope.target, count(page, false, false)) << objectives;
  }
}

TEST(SeriesPerScope, IsAtMostTwoHundredForALevelWithEveryObjective) {
  EXPECT_LE(series_per_scope(static_cast<int>(kObjectives.size())).level, kMaxSeriesPerLevel);
}

TEST(SeriesPerScope, EveryHistogramHasAtMostSixteenEdges) {
  for (const Measure& m : all_measures()) EXPECT_LE(m.edges.size(), 16U) << m.key;
  EXPECT_LE(inter_chunk_edges().size(), 16U);
}

}  // namespace
}  // namespace tokprobe
