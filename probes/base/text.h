#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "probes/base/clock.h"
#include "probes/base/result.h"

namespace tokprobe {

/// True when the bytes are well-formed UTF-8 (no surrogates, nothing overlong).
bool is_utf8(std::string_view text);

/// Foreign text made fit for logs, tables and labels: every ill-formed sequence becomes U+FFFD,
/// control characters become spaces, and what is longer than `limit` bytes ends in "...".
std::string printable(std::string_view text, std::size_t limit = 300);

/// Reads `300ms`, `5s`, `2m`, `6h`, `1d` (one number, whole or decimal, and one unit). Never
/// negative.
Result<Duration> parse_duration(std::string_view text);
/// Writes a duration in the largest unit that divides it: 90 s is `90s`, 300 s is `5m`.
std::string format_duration(Duration d);

/// ASCII lower case.
std::string lower(std::string_view text);
/// Without spaces, tabs and line ends at both sides.
std::string_view trim(std::string_view text);
/// Case-insensitive (ASCII) comparison.
bool iequals(std::string_view a, std::string_view b);

/// The candidate with the smallest edit distance to `word`, if it is close enough to be a slip.
std::optional<std::string_view> nearest(std::string_view word, const std::string_view* candidates,
                                        std::size_t count);

/// FNV-1a, 64 bits: for phases and seeds; the same in every version of the program.
unsigned long long stable_hash(std::string_view text);

}  // namespace tokprobe
