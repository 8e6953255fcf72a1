#pragma once

#include <ctime>

namespace tokprobe_sim {

// Seconds on CLOCK_MONOTONIC. The same clock as std::chrono::steady_clock of every process of this
// machine, so that stamps of a client and of the simulator can be subtracted.
inline double now_seconds() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

}  // namespace tokprobe_sim
