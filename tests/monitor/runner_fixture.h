#pragma once

#include <gmock/gmock.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "monitor/daemon/target_runner.h"
#include "tests/support/replay_transport.h"

namespace tokprobe::testing_support {

/// Keeps all it is told.
class RecordingSink final : public ResultSink {
 public:
  void on_run(const RunResult& run) override { runs.push_back(run); }
  void on_skip(std::string_view, std::string_view probe, Skip reason) override {
    ++skips[std::string(probe)];
    last_skip = reason;
  }
  void on_identity(std::string_view, const Identity& identity) override {
    identities.push_back(identity);
  }
  void on_start(Duration lag) override { lags.push_back(lag); }

  long runs_of(std::string_view probe) const;
  std::vector<RunResult> runs;
  std::map<std::string, long> skips;
  std::optional<Skip> last_skip;
  std::vector<Identity> identities;
  std::vector<Duration> lags;
};

/// A runner before a scripted server, hours in a moment. The server lists model `m1` of a vLLM
/// 0.8.0, streams three tokens over `answer_time`, and counts a token a word of the prompt.
class RunnerTest : public ::testing::Test {
 protected:
  /// Makes the runner of the first target of `config`.
  void start(const Config& config, Storage* storage = nullptr);
  void run_for(Duration time);
  /// Time passes, but the runner does not get to see it.
  void hold_up(Duration time) { clock_.advance(time); }

  struct Asked {
    Time at;
    std::string url;
  };
  /// Requests whose path ends so.
  std::vector<Asked> asked(std::string_view path) const;
  /// Prompts and calibrations that were sent.
  std::size_t generations() const { return asked("/v1/chat/completions").size(); }

  FakeClock clock_;
  Duration answer_time_ = std::chrono::milliseconds(200);
  bool down_ = false;
  int models_status_ = 200;
  std::string model_ = "m1";
  int metrics_status_ = 200;
  std::string metrics_ = "vllm:num_requests_running 2\nvllm:num_requests_waiting 0\n";
  RecordingSink sink_;
  std::vector<Asked> log_;
  ReplayTransport transport_{clock_, [this](const HttpRequest& r) { return answer(r); }};
  std::unique_ptr<TargetRunner> runner_;

 private:
  Script answer(const HttpRequest& request);
};

}  // namespace tokprobe::testing_support
