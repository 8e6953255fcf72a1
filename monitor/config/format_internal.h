#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tokprobe::config_detail {

/// A number as people read it: whole numbers with thousands separators (`1,440`), others as short
/// as they are exact. Does not depend on the locale.
std::string grouped(double number);
/// The width of a text in a terminal, taken as its number of code points.
std::size_t width(std::string_view text);
/// The text with spaces to `size` columns, at its right or its left.
std::string pad_right(std::string_view text, std::size_t size);
std::string pad_left(std::string_view text, std::size_t size);

}  // namespace tokprobe::config_detail
