#pragma once

#include <string_view>
#include <vector>

#include "monitor/metrics/state.h"
#include "probes/identity.h"
#include "probes/result.h"

namespace tokprobe {

/// Where what the probes found goes. Calls for one target come from one thread; calls for different
/// targets may come at the same time from different threads. A sink returns quickly and never
/// throws.
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  /// A run has ended. Never a cancelled one.
  virtual void on_run(const RunResult& run) = 0;
  /// A slot of the schedule passed without a run.
  virtual void on_skip(std::string_view target, std::string_view probe, Skip reason) = 0;
  /// The server said who it is.
  virtual void on_identity(std::string_view target, const Identity& identity) = 0;
  /// A run began this long after it was due.
  virtual void on_start(Duration lag) = 0;
};

/// Passes everything on to several sinks, in order. The sinks must outlive it.
class Fanout final : public ResultSink {
 public:
  explicit Fanout(std::vector<ResultSink*> sinks) : sinks_(std::move(sinks)) {}
  void on_run(const RunResult& run) override {
    for (ResultSink* sink : sinks_) sink->on_run(run);
  }
  void on_skip(std::string_view target, std::string_view probe, Skip reason) override {
    for (ResultSink* sink : sinks_) sink->on_skip(target, probe, reason);
  }
  void on_identity(std::string_view target, const Identity& identity) override {
    for (ResultSink* sink : sinks_) sink->on_identity(target, identity);
  }
  void on_start(Duration lag) override {
    for (ResultSink* sink : sinks_) sink->on_start(lag);
  }

 private:
  std::vector<ResultSink*> sinks_;
};

}  // namespace tokprobe
