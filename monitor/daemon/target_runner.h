#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "monitor/config/config.h"
#include "monitor/daemon/schedule.h"
#include "monitor/sinks/result_sink.h"
#include "monitor/sinks/storage.h"
#include "probes/base/clock.h"
#include "probes/identity.h"
#include "probes/requester.h"
#include "probes/run.h"
#include "probes/server_load.h"
#include "probes/transport/transport.h"

namespace tokprobe {

/// What a runner works with. All must outlive it.
struct RunnerContext {
  const Clock& clock;
  HttpTransport& transport;
  ResultSink& sink;
  Storage* storage = nullptr;  ///< may be null
};

/// Probes one target on its schedule: a state machine on its loop's thread. One run at a time, so
/// that two probes never load a server together; a due probe waits for its turn, and a slot that
/// comes while the probe still waits or runs is skipped and counted.
class TargetRunner {
 public:
  TargetRunner(const Config& config, const TargetConfig& target, RunnerContext context);
  /// Call after every run_until: does what is due.
  void pump(Time now);
  /// When pump must be called next even if nothing happens.
  Time wake(Time now) const;
  /// Ends what is under way, uncounted.
  void cancel();

 private:
  struct Slot {
    ProbeConfig probe;
    Schedule schedule;
    Time next;
    std::optional<Time> due;  ///< waiting for its turn since
    double last_run = -1;     ///< Unix seconds, negative: never
    bool first = true;        ///< no slot has come yet
  };

  void collect_due(Time now);
  void begin_next(Time now);
  void step(Time now);
  bool identify(Time now);
  bool read_load(Time now);
  void begin_level(const ServerLoad& load);
  void finish_run();
  void save();

  TargetConfig target_;
  RunnerContext context_;
  Requester requester_;
  std::vector<Slot> slots_;
  Identity identity_;
  std::optional<Time> identified_;
  Slot* current_ = nullptr;  ///< the probe whose turn it is
  std::size_t level_ = 0;    ///< of current_
  std::unique_ptr<Identification> identification_;
  std::unique_ptr<LoadReading> load_;  ///< before each level
  LoadSource load_source_;
  std::unique_ptr<Run> run_;
};

}  // namespace tokprobe
