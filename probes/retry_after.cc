#include "probes/retry_after.h"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "probes/base/text.h"

namespace tokprobe {

std::optional<double> parse_retry_after(std::string_view value, WallTime now) {
  value = trim(value);
  unsigned long number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc() && end == value.data() + value.size()) {
    return static_cast<double>(number);
  }
  tm date{};
  const std::string text(value);
  const char* rest = strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
  if (rest == nullptr || *rest != '\0') return std::nullopt;
  return std::max(0.0, static_cast<double>(timegm(&date)) - unix_seconds(now));
}

}  // namespace tokprobe
