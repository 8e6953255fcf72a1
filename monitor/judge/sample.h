#pragma once

#include <optional>

#include "monitor/judge/figures.h"
#include "probes/result.h"

namespace tokprobe {

/// What the judge takes of a run. Nothing of a run whose figures are not comparable: a request
/// failed, our own lag made them doubtful, or an answer ended early.
std::optional<Sample> sample_of(const RunResult& run);

}  // namespace tokprobe
