#pragma once

#include <stop_token>

#include "probes/base/clock.h"
#include "probes/run.h"
#include "probes/transport/transport.h"

namespace tokprobe {

/// Works on one thing that has pump() and done() until it is done or a stop is asked for.
template <class Work>
void drive(Work& work, HttpTransport& transport, const Clock& clock, const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [&transport] { transport.wake(); });
  work.pump(clock.now());
  while (!work.done() && !stop.stop_requested()) {
    transport.run_until(clock.now() + kTick);
    work.pump(clock.now());
  }
}

}  // namespace tokprobe
