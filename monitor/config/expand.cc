#include <fmt/format.h>

#include <algorithm>

#include "monitor/config/expand_internal.h"
#include "probes/base/text.h"

namespace tokprobe::config_detail {
namespace {

constexpr std::size_t kMaxValueBytes = 4096;
constexpr std::size_t kMaxNameBytes = 100;

bool is_name(std::string_view text) {
  const auto good = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && text.size() <= kMaxNameBytes && !(text[0] >= '0' && text[0] <= '9') &&
         std::all_of(text.begin(), text.end(), good);
}

Result<std::string> value_of(std::string_view name, const Environment& environment) {
  if (!is_name(name)) {
    return Error{
        "'${' must be followed by the name of a variable and '}'; write $${ for plain text"};
  }
  const auto value = environment(std::string(name));
  if (!value) return Error{fmt::format("the environment variable {} is not set", name)};
  if (value->size() > kMaxValueBytes) {
    return Error{
        fmt::format("the environment variable {} has more than {} bytes", name, kMaxValueBytes)};
  }
  const bool control = std::any_of(value->begin(), value->end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  if (control || !is_utf8(*value)) {
    return Error{fmt::format(
        "the environment variable {} holds a line break, a control character or bytes that are not "
        "UTF-8",
        name)};
  }
  return *value;
}

}  // namespace

Result<std::string> expand(std::string_view text, const Environment& environment) {
  std::string out;
  while (!text.empty()) {
    const std::size_t dollar = std::min(text.find('$'), text.size());
    out += text.substr(0, dollar);
    text.remove_prefix(dollar);
    if (text.starts_with("${")) {
      const std::size_t close = std::min(text.find('}'), text.size());
      Result<std::string> value =
          value_of(close < text.size() ? text.substr(2, close - 2) : "", environment);
      if (!value) return value;
      out += *value;
      text.remove_prefix(close + 1);
    } else if (!text.empty()) {
      out += '$';
      text.remove_prefix(text.starts_with("$$") ? 2 : 1);
    }
  }
  return out;
}

}  // namespace tokprobe::config_detail
