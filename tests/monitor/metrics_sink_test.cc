#include "monitor/sinks/metrics_sink.h"

#include <gmock/gmock.h>

#include <atomic>
#include <latch>
#include <thread>

#include "tests/monitor/page.h"
#include "tests/monitor/samples.h"

namespace tokprobe {
namespace {

using namespace std::chrono_literals;
using namespace testing_support;
using ::testing::IsEmpty;

constexpr int kTargets = 3;
constexpr int kRuns = 200;

std::string target(int i) { return "t" + std::to_string(i); }

Config several_targets() {
  Config config = small_config();
  config.targets.clear();
  for (int i = 0; i < kTargets; ++i) config.targets.push_back(target_named(target(i)));
  return config;
}

RunResult run_for(const std::string& name) {
  return run_at(name, "p", run_of({ok_request(), ok_request(300ms)}));
}

// What belongs together must be together in every snapshot: a run adds 2 requests of 10 tokens.
void expect_consistent(const TargetState& state) {
  const ProbeState& probe = state.probes.front();
  const LevelState& level = probe.levels.front();
  ASSERT_EQ(level.requests, 2 * level.runs);
  ASSERT_EQ(level.measured_output_tokens, 20 * level.runs);
  ASSERT_EQ(probe.output_tokens, 20 * level.runs);
}

TEST(MetricsSink, SnapshotsAreWholeWhileSeveralThreadsApplyRunsAndAnotherScrapes) {
  MetricsSink sink(several_targets(), WallTime(1'800'000'000s));
  std::latch start(kTargets + 1);
  std::atomic<int> working = kTargets;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kTargets; ++i) {
    threads.emplace_back([&, name = target(i)] {
      start.arrive_and_wait();
      for (int n = 0; n < kRuns; ++n) {
        sink.on_start(1ms);
        sink.on_run(run_for(name));
        sink.count_http("/metrics", 200);
      }
      --working;
    });
  }
  start.arrive_and_wait();
  std::uint64_t last = 0;
  do {
    const auto targets = sink.targets();
    for (const TargetSnapshot& snapshot : targets) expect_consistent(*snapshot);
    const std::uint64_t runs = targets.front()->probes.front().levels.front().runs;
    EXPECT_GE(runs, last);  // counters never go back
    last = runs;
    EXPECT_THAT(parse_page(sink.page()).problems, IsEmpty());
  } while (working > 0);
  threads.clear();
  const ParsedPage page = parse_page(sink.page());
  for (int i = 0; i < kTargets; ++i) {
    EXPECT_EQ(page.value("tokprobe_runs_total", {{"target", target(i)}}), kRuns);
  }
  EXPECT_EQ(page.value("tokprobe_schedule_lag_seconds_count"), kTargets * kRuns);
  EXPECT_EQ(page.value("tokprobe_client_lag_seconds_count"), kTargets * kRuns);
  EXPECT_EQ(page.value("tokprobe_http_requests_total", {{"handler", "/metrics"}}),
            kTargets * kRuns);
}

TEST(MetricsSink, ASnapshotNeverChanges) {
  MetricsSink sink(several_targets(), WallTime(1'800'000'000s));
  const auto before = sink.targets();
  sink.on_run(run_for("t0"));
  sink.on_skip("t0", "p", Skip::kOverlap);
  sink.on_identity("t0", {"m", "vllm", "1"});
  EXPECT_EQ(before.front()->probes.front().levels.front().runs, 0U);
  EXPECT_EQ(before.front()->identity.model, "");
  const auto after = sink.targets();
  EXPECT_EQ(after.front()->probes.front().levels.front().runs, 1U);
  EXPECT_EQ(after.front()->probes.front().skipped[0], 1U);
  EXPECT_EQ(after.front()->identity.server, "vllm");
  EXPECT_EQ(after[1], before[1]) << "nothing happened there: the same snapshot serves on";
}

TEST(MetricsSink, KeepsTheOrderOfTheConfiguration) {
  Config config = small_config();
  config.targets = {target_named("zeta"), target_named("alpha")};
  const MetricsSink sink(config, WallTime(0s));
  EXPECT_EQ(sink.targets()[0]->name, "zeta");
  EXPECT_EQ(sink.targets()[1]->name, "alpha");
}

TEST(MetricsSink, PassesOverTargetsThatItDoesNotKnow) {
  MetricsSink sink(several_targets(), WallTime(0s));
  sink.on_run(run_for("stranger"));
  sink.on_skip("stranger", "p", Skip::kBudget);
  sink.on_identity("stranger", {});
  EXPECT_EQ(parse_page(sink.page()).value("tokprobe_client_lag_seconds_count"), 0);
}

TEST(MetricsSink, TellsWhenTheConfigurationWasReadAndCountsItsOwnRequests) {
  MetricsSink sink(several_targets(), WallTime(1'800'000'000s));
  sink.count_http("other", 404);
  const ParsedPage page = parse_page(sink.page());
  EXPECT_EQ(page.value("tokprobe_config_last_reload_successful"), 1);
  EXPECT_EQ(page.value("tokprobe_config_last_reload_success_timestamp_seconds"), 1.8e9);
  EXPECT_EQ(page.value("tokprobe_http_requests_total", {{"handler", "other"}, {"code", "404"}}), 1);
  EXPECT_EQ(page.value("tokprobe_http_requests_total", {{"handler", "/metrics"}}), 0);
  EXPECT_TRUE(page.value("process_cpu_seconds_total"));
}

TEST(Fanout, TellsEverySink) {
  MetricsSink a(several_targets(), WallTime(0s));
  MetricsSink b(several_targets(), WallTime(0s));
  Fanout both({&a, &b});
  both.on_run(run_for("t1"));
  both.on_skip("t1", "p", Skip::kBudget);
  both.on_identity("t1", {"m", "", ""});
  both.on_start(1ms);
  EXPECT_EQ(a.targets()[1]->probes.front().levels.front().runs, 1U);
  // Apart from the process they tell the same.
  for (const MetricsSink* sink : {&a, &b}) {
    const ParsedPage page = parse_page(sink->page());
    EXPECT_EQ(page.value("tokprobe_runs_total", {{"target", "t1"}}), 1);
    EXPECT_EQ(page.value("tokprobe_runs_skipped_total", {{"target", "t1"}, {"reason", "budget"}}),
              1);
    EXPECT_EQ(page.value("tokprobe_target_info", {{"target", "t1"}, {"model", "m"}}), 1);
    EXPECT_EQ(page.value("tokprobe_schedule_lag_seconds_count"), 1);
  }
}

}  // namespace
}  // namespace tokprobe
