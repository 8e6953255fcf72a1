#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tokprobe::internal {

using Json = simdjson::dom::element;

/// The member of an object, or nothing when it is missing or the element is no object.
inline std::optional<Json> member(const Json& object, std::string_view key) {
  Json value;
  if (object[key].get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

/// A member that is a string, else an empty view.
inline std::string_view text(const Json& object, std::string_view key) {
  std::string_view value;
  return object[key].get(value) == simdjson::SUCCESS ? value : std::string_view{};
}

/// A member that is a number from 0 to 10^12, rounded down.
std::optional<std::int64_t> count(const Json& object, std::string_view key);

/// Parses bytes that are followed by kFramePadding readable ones.
bool parse(simdjson::dom::parser& parser, std::string_view padded, Json& out);

/// The message of an error object, if the element is or holds one, in any of the known shapes.
std::optional<std::string> error_message(const Json& root);

}  // namespace tokprobe::internal
