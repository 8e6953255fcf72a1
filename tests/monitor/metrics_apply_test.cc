#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "monitor/metrics/state.h"
#include "tests/monitor/page.h"
#include "tests/monitor/samples.h"

namespace tokprobe {
namespace {

using namespace std::chrono_literals;
using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr auto kFail = CheckResult::Outcome::kFail;
constexpr auto kPass = CheckResult::Outcome::kPass;

ParsedPage page_after(const std::vector<RunResult>& runs) {
  return parse_page(page_of(state_after(small_config({1, 8}), runs)));
}
const LabelSet kOne{{"concurrency", "1"}};
const LabelSet kEight{{"concurrency", "8"}};

std::uint64_t failures(const LevelState& level) {
  return std::accumulate(level.failures.begin(), level.failures.end(), std::uint64_t{0});
}

TEST(Apply, CountsEveryReasonOnceAndAttemptedIsOkPlusFailed) {
  std::vector<ProbeResult> requests{ok_request(), ok_request()};
  for (const ReasonRow& row : kReasons) {
    if (is_failure(row.reason)) requests.push_back(failed_request(row.reason));
  }
  const ParsedPage page = page_after({run_of(requests)});
  for (const ReasonRow& row : kReasons) {
    if (!is_failure(row.reason)) continue;
    EXPECT_EQ(page.value("tokprobe_request_failures_total",
                         {{"concurrency", "1"}, {"reason", std::string(row.label)}}),
              1)
        << row.label;
  }
  EXPECT_EQ(page.value("tokprobe_requests_total", kOne), kReasonCount);
  EXPECT_EQ(page.value("tokprobe_requests_total", kEight), 0);
}

TEST(Apply, CountsEveryWarning) {
  ProbeResult all = ok_request();
  for (const WarningRow& row : kWarnings) all.warn(row.warning);
  const ParsedPage page = page_after({run_of({all, ok_request()}), run_of({all})});
  for (const WarningRow& row : kWarnings) {
    EXPECT_EQ(page.value("tokprobe_request_warnings_total",
                         {{"concurrency", "1"}, {"warning", std::string(row.label)}}),
              2)
        << row.label;
  }
}

TEST(Apply, MeasuredFiguresAdvanceTogetherAndOnlyForRunsThatAreAllOk) {
  const auto good = run_of({ok_request(), ok_request(200ms)});
  const auto mixed = run_of({ok_request(), failed_request(Reason::kHttp5xx)});
  const LevelState after =
      state_after(small_config(), {good, mixed, good}).probes.front().levels.front();
  EXPECT_EQ(after.measured_output_tokens, 40U);
  EXPECT_DOUBLE_EQ(after.measured_run_seconds, 2 * 0.39);
  EXPECT_EQ(after.runs, 3U);
  EXPECT_EQ(after.failed_by_request, 1U);
}

TEST(Apply, AFailedCheckSpoilsTheSuccessButNotTheSpeed) {
  const ParsedPage page = page_after({run_of({checked(ok_request(), kFail)})});
  EXPECT_EQ(page.value("tokprobe_success", kOne), 0);
  EXPECT_EQ(page.value("tokprobe_run_failures_total", {{"concurrency", "1"}, {"cause", "check"}}),
            1);
  EXPECT_EQ(page.value("tokprobe_run_failures_total", {{"concurrency", "1"}, {"cause", "request"}}),
            0);
  EXPECT_EQ(page.value("tokprobe_measured_output_tokens_total", kOne), 10);
}

TEST(Apply, OtherOutcomesOfACheckAreNoFailures) {
  for (const auto outcome : {kPass, CheckResult::Outcome::kSkip, CheckResult::Outcome::kError}) {
    const ParsedPage page = page_after({run_of({checked(ok_request(), outcome)})});
    EXPECT_EQ(page.value("tokprobe_success", kOne), 1) << label(outcome);
  }
}

TEST(Apply, UnmeasuredRequestsCostButStandInNoFigure) {
  RunResult run = run_of({ok_request()});
  ProbeResult calibration = ok_request();
  calibration.timing.ttft = 59s;
  calibration.timing.output_tokens = 1;
  calibration.prompt_tokens = 1000;
  calibration.cached_prompt_tokens = 30;
  calibration.reasoning_tokens = 4;
  run.unmeasured = {calibration, failed_request(Reason::kHttp4xx)};
  Config config = small_config({1}, {{"time_to_first_token", 1}, {"availability", 1}});
  const TargetState state = state_after(config, {run});
  const ProbeState& probe = state.probes.front();
  const LevelState& level = probe.levels.front();
  EXPECT_EQ(level.requests, 3U);
  EXPECT_EQ(failures(level), 1U);
  EXPECT_EQ(probe.output_tokens, 11U);
  EXPECT_EQ(probe.prompt_tokens, 1100U);
  EXPECT_EQ(probe.cached_prompt_tokens, 30U);
  EXPECT_EQ(probe.reasoning_tokens, 4U);
  EXPECT_EQ(level.measured_output_tokens, 10U);
  EXPECT_EQ(level.success, true);
  EXPECT_DOUBLE_EQ(level.histograms.front().sum, 0.1);
  EXPECT_DOUBLE_EQ(probe.duration.sum, 0.2);
  for (const ObjectiveCount& o : level.objectives) {
    EXPECT_EQ(o.requests, 1U) << o.objective.name;
    EXPECT_EQ(o.violations, 0U) << o.objective.name;
  }
}

TEST(Apply, FailedRequestsCostTheirTokensToo) {
  ProbeResult stalled = failed_request(Reason::kTimeoutStall);
  stalled.timing.output_tokens = 7;
  stalled.prompt_tokens = 50;
  const auto state = state_after(small_config(), {run_of({stalled})});
  EXPECT_EQ(state.probes.front().output_tokens, 7U);
  EXPECT_EQ(state.probes.front().prompt_tokens, 50U);
  EXPECT_EQ(state.probes.front().levels.front().measured_output_tokens, 0U);
}

TEST(Apply, ACancelledRunIsNotCounted) {
  RunResult run = run_of({ok_request()});
  run.cancelled = true;
  run.unmeasured = {ok_request()};
  const std::string untouched = page_of(state_after(small_config(), {}));
  EXPECT_EQ(page_of(state_after(small_config(), {run})), untouched);
}

TEST(Apply, RunsOfUnknownProbesAndLevelsAreNotCounted) {
  const std::string untouched = page_of(state_after(small_config(), {}));
  EXPECT_EQ(page_of(state_after(small_config(), {run_of({ok_request()}, 3)})), untouched);
  EXPECT_EQ(page_of(state_after(small_config(), {run_at("t", "q", run_of({ok_request()}))})),
            untouched);
}

TEST(Apply, LastRunFiguresVanishWhenNoRequestWasOk) {
  const ParsedPage good = page_after({run_of({ok_request()})});
  const ParsedPage bad =
      page_after({run_of({ok_request()}), run_of({failed_request(Reason::kDns)})});
  for (const Measure& m : all_measures()) {
    if (m.gauge.empty()) continue;
    const std::string name = "tokprobe_" + std::string(m.gauge);
    // Only a model that reasons has a time to its first answer.
    const bool absent = m.key == "time_to_first_answer_seconds";
    EXPECT_THAT(good.find(name, kOne), SizeIs(absent ? 0 : 1)) << name;
    EXPECT_THAT(bad.find(name), IsEmpty()) << name;
  }
  EXPECT_THAT(good.find("tokprobe_run_phase_seconds", kOne), SizeIs(5));  // no TLS
  EXPECT_THAT(bad.find("tokprobe_run_phase_seconds"), IsEmpty());
}

TEST(Apply, LastRunFiguresAreThoseOfTheLastRun) {
  ProbeResult slow = ok_request();
  slow.timing.ttft = 3s;
  const ParsedPage page = page_after({run_of({slow}), run_of({ok_request()})});
  EXPECT_EQ(page.value("tokprobe_run_time_to_first_token_seconds", kOne), 0.1);
  EXPECT_EQ(page.value("tokprobe_run_client_lag_seconds", kOne), 0.00025);
  EXPECT_NEAR(*page.value("tokprobe_run_output_tokens_per_second", kOne), 10 / 0.19, 1e-9);
  EXPECT_NEAR(*page.value("tokprobe_run_prompt_tokens_per_second", kOne), 100 / 0.19, 1e-9);
}

TEST(Apply, SuccessTimesAndFailuresInARow) {
  const auto at = [](RunResult run, std::chrono::seconds t) {
    run.started += t;
    return run;
  };
  const auto bad = run_of({ok_request(), failed_request(Reason::kTruncated)});
  const auto good = run_of({ok_request()});
  std::vector<RunResult> runs{at(good, 0s), at(bad, 60s), at(bad, 120s)};
  const ParsedPage failing = page_after(runs);
  EXPECT_EQ(failing.value("tokprobe_success", kOne), 0);
  EXPECT_EQ(failing.value("tokprobe_consecutive_failures", kOne), 2);
  EXPECT_EQ(failing.value("tokprobe_last_run_timestamp_seconds", kOne), 1'800'000'120);
  EXPECT_EQ(failing.value("tokprobe_last_success_timestamp_seconds", kOne), 1'800'000'000);
  runs.push_back(at(good, 180s));
  const ParsedPage again = page_after(runs);
  EXPECT_EQ(again.value("tokprobe_success", kOne), 1);
  EXPECT_EQ(again.value("tokprobe_consecutive_failures", kOne), 0);
  EXPECT_EQ(again.value("tokprobe_last_success_timestamp_seconds", kOne), 1'800'000'180);
}

TEST(Apply, TimestampsKeepTheirMilliseconds) {
  RunResult run = run_of({ok_request()});
  run.started += 123ms;
  EXPECT_NEAR(*page_after({run}).value("tokprobe_last_run_timestamp_seconds", kOne),
              1'800'000'000.123, 1e-5);
}

TEST(Apply, HistogramsHoldOkRequestsOnlyAndOneSampleAGap) {
  const ParsedPage page =
      page_after({run_of({ok_request(), failed_request(Reason::kAborted), ok_request(1s)})});
  EXPECT_EQ(page.value("tokprobe_time_to_first_token_seconds_count", kOne), 2);
  EXPECT_EQ(page.value("tokprobe_time_per_output_token_seconds_count", kOne), 2);
  EXPECT_EQ(page.value("tokprobe_request_duration_seconds_count"), 2);
  EXPECT_EQ(page.value("tokprobe_inter_chunk_seconds_count"), 8);
  EXPECT_NEAR(*page.value("tokprobe_inter_chunk_seconds_sum"), 0.16, 1e-9);
  EXPECT_EQ(page.value("tokprobe_inter_chunk_seconds_bucket", {{"le", "0.02"}}), 8);
  EXPECT_EQ(page.value("tokprobe_inter_chunk_seconds_bucket", {{"le", "0.015"}}), 0);
}

TEST(Apply, CountsSkipsByReason) {
  TargetState state = state_after(small_config(), {});
  apply_skip("p", Skip::kOverlap, state);
  apply_skip("p", Skip::kOverlap, state);
  apply_skip("p", Skip::kMaintenance, state);
  apply_skip("unknown", Skip::kBudget, state);
  EXPECT_THAT(state.probes.front().skipped, ElementsAre(2, 0, 1));
}

TEST(Histogram, ItsEdgesAreInclusive) {
  constexpr std::array<double, 2> kEdges{1, 2};
  Histogram h(kEdges);
  for (const double value : {0.5, 1.0, std::nextafter(1.0, 2.0), 2.0, 2.5}) h.observe(value);
  EXPECT_THAT(h.counts, ElementsAre(2, 2, 1));
  EXPECT_DOUBLE_EQ(h.sum, 7);
}

TEST(Histogram, PassesOverWhatIsNoNumber) {
  constexpr std::array<double, 1> kEdges{1};
  Histogram h(kEdges);
  h.observe(std::numeric_limits<double>::quiet_NaN());
  h.observe(0.5);
  EXPECT_THAT(h.counts, ElementsAre(1, 0));
  EXPECT_EQ(h.sum, 0.5);
}

}  // namespace
}  // namespace tokprobe
