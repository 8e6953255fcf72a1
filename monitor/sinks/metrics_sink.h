#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "monitor/metrics/exposition.h"
#include "monitor/sinks/result_sink.h"

namespace tokprobe {

/// Keeps the figures of every target and hands them to scrapes as immutable snapshots: the probing
/// threads and the scrapes share a mutex only for the moment of swapping a pointer.
class MetricsSink final : public ResultSink {
 public:
  /// `started` is when the configuration was read.
  MetricsSink(const Config& config, WallTime started);

  void on_run(const RunResult& run) override;
  void on_skip(std::string_view target, std::string_view probe, Skip reason) override;
  void on_identity(std::string_view target, const Identity& identity) override;
  void on_start(Duration lag) override;
  /// Publishes what the judge said of a run, after on_run of the same.
  void on_judgement(const RunResult& run, const Judgement& judgement);

  /// Notes a request to the agent itself. Safe from any thread, as are the next two.
  void count_http(const std::string& handler, int code);
  /// The targets as they are now, in the order of the configuration.
  std::vector<TargetSnapshot> targets() const;
  /// The metrics page as it is now.
  std::string page() const;

 private:
  // The working copy belongs to the target's thread; the snapshot is shared.
  struct Slot {
    TargetState working;
    TargetSnapshot published;
  };
  Slot* find(std::string_view target);
  void publish(Slot& slot);

  std::map<std::string, std::size_t, std::less<>> index_;
  std::vector<Slot> slots_;   ///< never resized after construction
  mutable std::mutex mutex_;  ///< guards Slot::published and self_
  SelfState self_;
};

}  // namespace tokprobe
