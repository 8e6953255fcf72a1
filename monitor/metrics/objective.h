#pragma once

#include "monitor/metrics/state.h"

namespace tokprobe {

/// Judges one request by one objective. Availability judges every request whose outcome is the
/// server's own (see ReasonRow::server_fault); the others judge ok requests whose figure is known.
/// Time objectives are missed above, speed objectives below their threshold.
void count_objective(const ProbeResult& result, ObjectiveCount& count);

}  // namespace tokprobe
