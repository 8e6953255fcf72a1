#pragma once

#include <functional>
#include <stop_token>

#include "monitor/config/config.h"
#include "monitor/sinks/log.h"
#include "monitor/sinks/result_sink.h"
#include "monitor/sinks/storage.h"
#include "probes/base/clock.h"

namespace tokprobe {

/// What the daemon works with. All must outlive it; `storage` may be null. `save` is called on the
/// thread of run_daemon now and then, and with `last` at the end: an error is logged.
struct DaemonContext {
  const Clock& clock;
  ResultSink& sink;
  const Log& log;
  Storage* storage = nullptr;
  std::function<Result<bool>(bool last)> save = [](bool) { return true; };
};

/// Probes every target of the configuration until a stop is asked for: a few loop threads, each
/// with one transport, and a target on exactly one of them. `ready` is called when all loops have
/// been started. Returns false when a loop failed (its error is logged).
bool run_daemon(const Config& config, const DaemonContext& context, const std::stop_token& stop,
                const std::function<void()>& ready);

}  // namespace tokprobe
