// What a runner knows of its server: who it is, whether it is there, and what a storage kept.
#include <filesystem>

#include "tests/monitor/runner_fixture.h"
#include "tests/monitor/samples.h"

namespace tokprobe {
namespace {

using namespace std::chrono_literals;
using namespace testing_support;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Config every(Duration interval) {
  Config config = small_config();
  config.probes.front().interval = interval;
  return config;
}

TEST_F(RunnerTest, AsksTheServerWhoItIsBeforeTheFirstRun) {
  start(every(1min));
  run_for(kStartSpread + 5s);
  ASSERT_GE(log_.size(), 3U);
  EXPECT_THAT(log_[0].url, HasSubstr("/v1/models"));
  EXPECT_THAT(log_[1].url, HasSubstr("/version"));
  EXPECT_THAT(sink_.identities, ElementsAre(Identity{"m1", "vllm", "0.8.0"}));
  EXPECT_THAT(transport_.requests().back().body, HasSubstr("\"m1\""));
}

TEST_F(RunnerTest, AsksAtMostOnceAMinute) {
  start(every(5s));
  run_for(1h);
  const auto times = asked("/v1/models");
  ASSERT_GT(times.size(), 50U);
  for (std::size_t i = 1; i < times.size(); ++i) EXPECT_GE(times[i].at - times[i - 1].at, 59s);
}

TEST_F(RunnerTest, TellsOfANewModelAndUsesIt) {
  start(every(1min));
  run_for(10min);
  model_ = "m2";
  run_for(5min);
  ASSERT_THAT(sink_.identities, SizeIs(2));
  EXPECT_EQ(sink_.identities.back().model, "m2");
  EXPECT_THAT(transport_.requests().back().body, HasSubstr("\"m2\""));
}

TEST_F(RunnerTest, AConfiguredModelStays) {
  Config config = every(1min);
  config.targets.front().model = "mine";
  start(config);
  run_for(5min);
  EXPECT_THAT(sink_.identities, ElementsAre(Identity{"mine", "vllm", "0.8.0"}));
  EXPECT_THAT(transport_.requests().back().body, HasSubstr("\"mine\""));
}

TEST_F(RunnerTest, ProbesAServerThatIsDownOnAndCountsIt) {
  down_ = true;
  start(every(1min));
  run_for(1h);
  EXPECT_NEAR(static_cast<double>(sink_.runs_of("p")), 60, 1);
  for (const RunResult& run : sink_.runs) {
    ASSERT_THAT(run.requests, SizeIs(1));
    EXPECT_EQ(run.requests.front().reason, Reason::kConnect);
  }
  EXPECT_THAT(sink_.identities, IsEmpty());
  down_ = false;
  run_for(3min);
  EXPECT_TRUE(sink_.runs.back().requests.front().ok());
  EXPECT_THAT(sink_.identities, SizeIs(1));
}

TEST_F(RunnerTest, AnOutageDoesNotWipeWhatIsKnownOfTheServer) {
  start(every(1min));
  run_for(5min);
  down_ = true;
  run_for(5min);
  down_ = false;
  run_for(5min);
  EXPECT_THAT(sink_.identities, SizeIs(1));
}

TEST_F(RunnerTest, ACallThatDoesNotEndIsTimedOutAndTheNextRunComes) {
  Config config = every(1min);
  config.probes.front().timeout = {5s, 20s, 20s, 30s};
  answer_time_ = 10min;
  start(config);
  run_for(1h);
  EXPECT_NEAR(static_cast<double>(sink_.runs_of("p")), 60, 1);
  for (const RunResult& run : sink_.runs) {
    EXPECT_EQ(run.requests.front().reason, Reason::kTimeoutFirstToken);
  }
}

class StoredRunnerTest : public RunnerTest {
 protected:
  StoredRunnerTest()
      : directory_(std::filesystem::path(testing::TempDir()) /
                   (std::string("tokprobe-runner-") +
                    ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(directory_);
    std::string problem;
    storage_ = Storage::open(directory_.string(), problem).value();
  }
  ~StoredRunnerTest() override {
    runner_.reset();
    storage_.reset();
    std::filesystem::remove_all(directory_);
  }
  double wall() const { return unix_seconds(clock_.wall()); }

  std::filesystem::path directory_;
  std::shared_ptr<Storage> storage_;
};

TEST_F(StoredRunnerTest, ARestartNeedsNoCalibrationAndWaitsForTheGrid) {
  start(every(1h), storage_.get());
  run_for(10min);
  ASSERT_EQ(sink_.runs_of("p"), 1);
  ASSERT_EQ(sink_.runs.front().unmeasured.size(), 2U);
  start(every(1h), storage_.get());
  const Time grid = make_schedule("t", "p", 1h).next_due(clock_.now());
  run_for(grid - clock_.now() - 1s);
  EXPECT_EQ(sink_.runs_of("p"), 1) << "its last run is not an hour old";
  run_for(10s);
  ASSERT_EQ(sink_.runs_of("p"), 2);
  EXPECT_THAT(sink_.runs.back().unmeasured, IsEmpty());
}

TEST_F(StoredRunnerTest, ALastRunLongAgoIsMadeUpForAtOnce) {
  storage_->put("t", {{}, {{"p", wall() - 7200}}});
  start(every(1h), storage_.get());
  run_for(kStartSpread + 5s);
  EXPECT_EQ(sink_.runs_of("p"), 1);
}

TEST_F(StoredRunnerTest, AbsurdTimesOfARestoredFileDoNoHarm) {
  for (const double absurd : {1e300, -1e300, 0.0, wall() + 1e6}) {
    sink_.runs.clear();
    storage_->put("t", {{}, {{"p", absurd}}});
    start(every(1min), storage_.get());
    run_for(5min);
    EXPECT_GE(sink_.runs_of("p"), 4) << absurd;
    EXPECT_LE(sink_.runs_of("p"), 6) << absurd;
  }
}

TEST_F(StoredRunnerTest, KeepsWhatItLearnedAndWhenItRan) {
  start(every(1min), storage_.get());
  run_for(10min);
  const SavedTarget saved = storage_->get("t");
  EXPECT_THAT(saved.prompt_lengths, ::testing::Not(IsEmpty()));
  EXPECT_NEAR(saved.last_runs.at("p"), wall(), 61);
  EXPECT_EQ(saved.last_runs.at("p"), unix_seconds(sink_.runs.back().started));
}

TEST_F(StoredRunnerTest, KeepsTheTimesOfProbesThatHaveNotYetHadTheirTurn) {
  Config config = every(1min);
  ProbeConfig rare = probe_named("rare");
  rare.interval = 6h;
  config.probes.push_back(rare);
  const double last = wall() - 60;
  storage_->put("t", {{}, {{"rare", last}}});
  start(config, storage_.get());
  run_for(2min);
  EXPECT_EQ(storage_->get("t").last_runs.at("rare"), last);
}

TEST_F(RunnerTest, A503OfTheModelListDoesNotWipeWhatIsKnown) {
  start(every(1min));
  run_for(5min);
  models_status_ = 503;
  run_for(5min);
  models_status_ = 200;
  run_for(5min);
  EXPECT_THAT(sink_.identities, SizeIs(1));
}

TEST_F(RunnerTest, ReadsTheServersLoadJustBeforeARun) {
  start(every(1min));
  run_for(10min);
  ASSERT_THAT(sink_.runs, SizeIs(Gt(8U)));
  for (const RunResult& run : sink_.runs) EXPECT_EQ(run.load.running, 2.0);
  // The path is searched once; TensorRT-LLM's comes first, since its /metrics is emptied by
  // reading.
  EXPECT_THAT(asked("/prometheus/metrics"), SizeIs(1));
  EXPECT_EQ(asked("/metrics").size(), 1 + sink_.runs.size());
}

TEST_F(RunnerTest, AServerWithoutMetricsIsAskedForThemNowAndThen) {
  metrics_status_ = 404;
  start(every(1min));
  run_for(1h);
  for (const RunResult& run : sink_.runs) EXPECT_FALSE(run.load.any());
  EXPECT_LE(asked("/metrics").size(), 2 * 7U);
}

TEST_F(RunnerTest, AServerThatIsDownIsCalibratedAtMostOnce) {
  down_ = true;
  start(every(1min));
  run_for(1h);
  std::size_t unmeasured = 0;
  for (const RunResult& run : sink_.runs) unmeasured += run.unmeasured.size();
  EXPECT_EQ(unmeasured, 1U);
}

}  // namespace
}  // namespace tokprobe
