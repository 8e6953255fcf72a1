#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "monitor/metrics/state.h"

namespace tokprobe {

/// Edges of the agent's own lag histograms.
inline constexpr std::array<double, 12> kLagEdges{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                                  0.05,   0.1,   0.25,   0.5,   1,    5};

/// What the kernel says about this process. Absent where it does not say.
struct ProcessFigures {
  std::optional<double> cpu_seconds, resident_bytes, virtual_bytes, open_fds, max_fds, threads,
      start_time_seconds;
};
/// Reads /proc/self.
ProcessFigures read_process();

/// The agent's own health.
struct SelfState {
  bool reload_successful = true;
  double reload_timestamp = 0;
  Histogram schedule_lag{kLagEdges};
  Histogram client_lag{kLagEdges};
  std::map<std::pair<std::string, int>, std::uint64_t> http_requests;  ///< by handler and code
  ProcessFigures process;
};

}  // namespace tokprobe
