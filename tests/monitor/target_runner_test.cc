#include "monitor/daemon/target_runner.h"

#include <cstdlib>
#include <random>

#include "tests/monitor/runner_fixture.h"
#include "tests/monitor/samples.h"

namespace tokprobe {
namespace {

using namespace std::chrono_literals;
using namespace testing_support;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Config three_probes() {
  Config config = small_config();
  ProbeConfig heartbeat = probe_named("heartbeat");
  heartbeat.interval = 1min;
  ProbeConfig speed = probe_named("speed");
  speed.interval = 5min;
  speed.requests = 2;
  ProbeConfig load = probe_named("load", {8});
  load.interval = 1h;
  load.requests = 16;
  config.probes = {heartbeat, speed, load};
  return config;
}

// The start may shift one run of each probe against the grid.
void expect_about(long actual, long expected) {
  EXPECT_GE(actual, expected);
  EXPECT_LE(actual, expected + 1);
}

TEST_F(RunnerTest, MakesTheRunsOfEveryProbeAtItsIntervalForHours) {
  start(three_probes());
  run_for(6h);
  expect_about(sink_.runs_of("heartbeat"), 360);
  expect_about(sink_.runs_of("speed"), 72);
  expect_about(sink_.runs_of("load"), 6);
  EXPECT_THAT(sink_.skips, IsEmpty());
  for (const RunResult& run : sink_.runs) {
    ASSERT_EQ(run.target, "t");
    for (const ProbeResult& r : run.requests) ASSERT_TRUE(r.ok()) << label(r.reason);
  }
}

TEST_F(RunnerTest, KeepsAProbesRunsAnIntervalApartWhateverTheyTake) {
  start(three_probes());
  run_for(3h);
  std::vector<WallTime> starts;
  for (const RunResult& run : sink_.runs) {
    if (run.probe == "heartbeat") starts.push_back(run.started);
  }
  for (std::size_t i = 2; i < starts.size(); ++i) {  // the first interval is that of the start
    const auto gap = starts[i] - starts[i - 1];
    // Others may have the turn: a run of theirs takes under 2 s here.
    EXPECT_GE(gap, 58s) << i;
    EXPECT_LE(gap, 62s) << i;
  }
}

TEST_F(RunnerTest, LoadsTheServerWithOneRunAtATimeAndAsManyRequestsAsTheLevelSays) {
  start(three_probes());
  run_for(2h);
  EXPECT_EQ(transport_.most_at_once(), 8U);
  for (std::size_t i = 1; i < sink_.runs.size(); ++i) {
    const RunResult& before = sink_.runs[i - 1];
    const RunResult& after = sink_.runs[i];
    Time last = Time::min();
    Time first = Time::max();
    for (const auto& r : before.requests) last = std::max(last, r.end);
    for (const auto& r : after.requests) first = std::min(first, r.start);
    ASSERT_GE(first, last) << "run " << i;
  }
}

TEST_F(RunnerTest, MakesTheLevelsOneAfterAnother) {
  Config config = small_config({1, 4, 2});
  config.probes.front().interval = 10min;
  start(config);
  run_for(1h);
  ASSERT_GE(sink_.runs.size(), 18U);
  EXPECT_EQ(sink_.runs.size() % 3, 0U);
  constexpr std::array kLevels{1, 4, 2};
  for (std::size_t i = 0; i < sink_.runs.size(); ++i) {
    EXPECT_EQ(sink_.runs[i].concurrency, kLevels[i % 3]);
    EXPECT_EQ(sink_.runs[i].requests.size(), static_cast<std::size_t>(kLevels[i % 3]));
  }
  EXPECT_EQ(transport_.most_at_once(), 4U);
}

TEST_F(RunnerTest, SkipsAndCountsTheSlotsThatComeWhileAProbeRuns) {
  Config config = small_config();
  config.probes.front().interval = 10s;
  answer_time_ = 25s;
  start(config);
  run_for(1h);
  const long slots = sink_.runs_of("p") + sink_.skips["p"];
  EXPECT_GE(slots, 359);
  EXPECT_LE(slots, 361);
  EXPECT_EQ(sink_.last_skip, Skip::kOverlap);
  // A run of 25 s fills three slots of 10 s: every third slot has a run.
  EXPECT_NEAR(static_cast<double>(sink_.runs_of("p")), 120, 2);
}

TEST_F(RunnerTest, RunsAndSkipsTogetherAreTheSlotsWhateverTheIntervalsAndAnswerTimesAre) {
  std::mt19937 random(3);
  const auto between = [&random](int least, int most) {
    return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
  };
  for (int round = 0; round < 20; ++round) {
    Config config = small_config();
    config.probes.clear();
    for (const char* name : {"a", "b", "c"}) {
      ProbeConfig probe = probe_named(name, {1, between(1, 4)});
      probe.interval = std::chrono::seconds(between(10, 300));
      config.probes.push_back(probe);
    }
    answer_time_ = std::chrono::milliseconds(between(100, 20'000));
    sink_ = {};
    start(config);
    const Time begun = clock_.now();
    run_for(1h);
    for (const ProbeConfig& probe : config.probes) {
      const long turns = sink_.runs_of(probe.name) / 2;  // of two levels each
      const long slots =
          make_schedule("t", probe.name, probe.interval).slots_between(begun, clock_.now());
      EXPECT_LE(std::labs(turns + sink_.skips[probe.name] - slots), 2)
          << round << " " << probe.name;
      EXPECT_GE(turns, 1) << "nobody is starved";
    }
    runner_->cancel();
  }
}

TEST_F(RunnerTest, AProbeThatWaitsForItsTurnGetsItAndIsToldHowLate) {
  Config config = small_config();
  ProbeConfig slow = probe_named("slow");
  slow.interval = 5min;
  config.probes.front().interval = 1min;
  config.probes.push_back(slow);
  answer_time_ = 20s;
  start(config);
  run_for(2h);
  expect_about(sink_.runs_of("slow"), 24);
  for (const Duration lag : sink_.lags) {
    EXPECT_GE(lag, 0s);
    EXPECT_LT(lag, 22s + 2 * answer_time_);
  }
}

TEST_F(RunnerTest, NeverCatchesUpSlotsThatALoopThatWasHeldUpHasMissed) {
  Config config = small_config();
  config.probes.front().interval = 10s;
  start(config);
  run_for(1min);
  const auto before = sink_.runs_of("p");
  hold_up(10min);
  run_for(1s);
  EXPECT_EQ(sink_.runs_of("p"), before + 1);
  EXPECT_EQ(sink_.skips["p"], 59);
  run_for(1min);
  EXPECT_NEAR(static_cast<double>(sink_.runs_of("p") - before), 7, 1);
}

TEST_F(RunnerTest, TheFirstRunComesWithinTheSpread) {
  Config config = three_probes();
  start(config);
  run_for(kStartSpread + 5s);
  EXPECT_EQ(sink_.runs_of("heartbeat"), 1);
  EXPECT_EQ(sink_.runs_of("speed"), 1);
  EXPECT_EQ(sink_.runs_of("load"), 1);
}

TEST_F(RunnerTest, CalibratesOnceAndCountsIt) {
  start(three_probes());
  run_for(3h);
  std::size_t calibrations = 0;
  std::size_t requests = 0;
  for (const RunResult& run : sink_.runs) {
    calibrations += run.unmeasured.size();
    requests += run.requests.size() + run.unmeasured.size();
  }
  EXPECT_EQ(calibrations, 2U);
  EXPECT_EQ(sink_.runs.front().unmeasured.size(), 2U);
  EXPECT_EQ(requests, generations()) << "every generation that was sent is in a count";
}

TEST_F(RunnerTest, IgnoresProbesThatAreOffOrForOthers) {
  Config config = three_probes();
  config.probes[0].enabled = false;
  config.probes[1].targets = {"other"};
  start(config);
  run_for(2h);
  EXPECT_EQ(sink_.runs_of("heartbeat"), 0);
  EXPECT_EQ(sink_.runs_of("speed"), 0);
  EXPECT_GT(sink_.runs_of("load"), 0);
}

TEST_F(RunnerTest, ATargetWithoutProbesAsksForNothing) {
  Config config = three_probes();
  config.probes.clear();
  start(config);
  run_for(3h);
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(RunnerTest, CancellingLeavesNothingUnderWayAndCountsNothing) {
  answer_time_ = 30s;
  start(small_config({4}));
  run_for(kStartSpread + 5s);
  ASSERT_GT(transport_.under_way(), 0U);
  runner_->cancel();
  EXPECT_EQ(transport_.under_way(), 0U);
  EXPECT_THAT(sink_.runs, IsEmpty());
}

TEST_F(RunnerTest, CancellingWhileTheServerIsAskedWhoItIsLeavesNothingUnderWay) {
  start(small_config());
  while (transport_.under_way() == 0) {
    runner_->pump(clock_.now());
    if (transport_.under_way() == 0) transport_.run_until(runner_->wake(clock_.now()));
  }
  runner_->cancel();
  EXPECT_EQ(transport_.under_way(), 0U);
  EXPECT_THAT(sink_.identities, IsEmpty());
}

TEST_F(RunnerTest, DestroyingARunnerLeavesNothingUnderWay) {
  answer_time_ = 30s;
  start(small_config({4}));
  run_for(kStartSpread + 5s);
  ASSERT_GT(transport_.under_way(), 0U);
  runner_.reset();
  EXPECT_EQ(transport_.under_way(), 0U);
}

}  // namespace
}  // namespace tokprobe
