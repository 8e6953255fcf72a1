#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "monitor/config/format_internal.h"

namespace tokprobe::config_detail {

std::string grouped(double number) {
  if (number != std::floor(number) || std::abs(number) > 1e15) return fmt::format("{}", number);
  std::string out = fmt::format("{:.0f}", number);
  const std::size_t sign = out.starts_with('-') ? 1 : 0;
  for (std::size_t i = out.size(); i > sign + 3;) out.insert(i -= 3, ",");
  return out;
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string pad_right(std::string_view text, std::size_t size) {
  return std::string(text) + std::string(size - std::min(width(text), size), ' ');
}

std::string pad_left(std::string_view text, std::size_t size) {
  return std::string(size - std::min(width(text), size), ' ') + std::string(text);
}

}  // namespace tokprobe::config_detail
