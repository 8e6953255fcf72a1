#pragma once

#include "monitor/sinks/log.h"
#include "monitor/sinks/result_sink.h"

namespace tokprobe {

/// One line a run: info when all was well, warn with the reasons and the first detail when not.
class LogSink final : public ResultSink {
 public:
  /// The log must outlive the sink.
  explicit LogSink(const Log& log) : log_(log) {}
  void on_run(const RunResult& run) override;
  void on_skip(std::string_view target, std::string_view probe, Skip reason) override;
  void on_identity(std::string_view target, const Identity& identity) override;
  void on_start(Duration) override {}

 private:
  const Log& log_;
};

}  // namespace tokprobe
