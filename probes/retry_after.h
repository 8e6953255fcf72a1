#pragma once

#include <optional>
#include <string_view>

#include "probes/base/clock.h"

namespace tokprobe {

/// Seconds that a Retry-After header asks to wait: a number, or an HTTP date seen from `now` (never
/// negative). Nothing when it is neither.
std::optional<double> parse_retry_after(std::string_view value, WallTime now);

}  // namespace tokprobe
