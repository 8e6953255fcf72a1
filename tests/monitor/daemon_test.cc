// The loops and the storage with real threads, and with a clock that stands: nothing is ever due.
#include "monitor/daemon/daemon.h"

#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "monitor/sinks/metrics_sink.h"
#include "tests/monitor/samples.h"
#include "tests/support/fake_clock.h"

namespace tokprobe {
namespace {

using namespace testing_support;

class DaemonTest : public ::testing::Test {
 protected:
  DaemonTest()
      : directory_(std::filesystem::path(testing::TempDir()) /
                   (std::string("tokprobe-daemon-") +
                    ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(directory_);
    std::string problem;
    storage_ = Storage::open(directory_.string(), problem).value();
  }
  ~DaemonTest() override {
    storage_.reset();
    std::filesystem::remove_all(directory_);
  }

  FakeClock clock_;
  Log log_{LogLevel::kError, LogFormat::kLogfmt};
  std::filesystem::path directory_;
  std::shared_ptr<Storage> storage_;
};

TEST_F(DaemonTest, EndsWhenAskedToHoweverManyTargetsThereAre) {
  for (int targets = 0; targets < 8; ++targets) {
    Config config = small_config();
    config.targets.clear();
    for (int i = 0; i < targets; ++i) config.targets.push_back(target_named(std::to_string(i)));
    MetricsSink sink(config, clock_.wall());
    std::stop_source stop;
    // Asking at once meets loops that have not yet begun to wait.
    EXPECT_TRUE(run_daemon(config, {clock_, sink, log_}, stop.get_token(),
                           [&stop] { stop.request_stop(); }));
  }
}

TEST_F(DaemonTest, EndsWhenItWasAskedToBeforeItBegan) {
  const Config config = small_config();
  MetricsSink sink(config, clock_.wall());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(run_daemon(config, {clock_, sink, log_}, stop.get_token(), [] {}));
}

TEST_F(DaemonTest, SavesTheStateAtTheEnd) {
  const Config config = small_config();
  MetricsSink sink(config, clock_.wall());
  std::vector<bool> saves;
  const auto save = [&saves](bool last) {
    saves.push_back(last);
    return true;
  };
  std::stop_source stop;
  EXPECT_TRUE(run_daemon(config, {clock_, sink, log_, storage_.get(), save}, stop.get_token(),
                         [&stop] { stop.request_stop(); }));
  ASSERT_FALSE(saves.empty());
  EXPECT_TRUE(saves.back());
}

TEST_F(DaemonTest, TheStorageMayBeUsedFromSeveralThreads) {
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, name = std::to_string(i)] {
        for (int n = 0; n < 50; ++n) {
          // Of changing length, so that a mixture of two writers could not be read.
          storage_->put(name, {{}, {{std::string(1 + n % 7 * 100, 'p'), n}}});
          failed += storage_->save(n) ? 0 : 1;
          storage_->get("0");
        }
      });
    }
  }
  EXPECT_EQ(failed, 0);
  storage_.reset();
  std::string problem;
  storage_ = Storage::open(directory_.string(), problem).value();
  EXPECT_EQ(problem, "");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(storage_->get(std::to_string(i)).last_runs.size(), 1U);
}

}  // namespace
}  // namespace tokprobe
