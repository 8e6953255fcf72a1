#include <fmt/format.h>

#include <cmath>

#include "monitor/config/format_internal.h"
#include "monitor/config/keys_internal.h"
#include "probes/base/text.h"

namespace tokprobe::config_detail {

namespace {

// Rounded: 0.001 s must not become 999999ns.
std::string duration_text(double s) { return format_duration(Duration(std::llround(s * 1e9))); }

}  // namespace

std::string describe_value(const Limits& limits) {
  switch (limits.of) {
    case Limits::Of::kNothing:
      return "";
    case Limits::Of::kCharacters:
      return fmt::format("{} to {} characters", grouped(limits.low), grouped(limits.high));
    case Limits::Of::kSeconds:
      return fmt::format("{} to {}", duration_text(limits.low), duration_text(limits.high));
    case Limits::Of::kValue:
      break;
  }
  return fmt::format("{} to {}", grouped(limits.low), grouped(limits.high));
}

std::string describe(const Limits& limits) {
  std::string out = describe_value(limits);
  if (limits.max_entries == 0) return out;
  if (!out.empty()) out += "; ";
  return out + fmt::format("at most {} entries", grouped(limits.max_entries));
}

}  // namespace tokprobe::config_detail
