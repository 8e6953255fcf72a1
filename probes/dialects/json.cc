#include <string>

#include "probes/base/text.h"
#include "probes/dialects/dialect.h"
#include "probes/dialects/json_internal.h"

namespace tokprobe {
namespace internal {
namespace {

// A message with the type or code beside it, when there is one.
std::string described(const Json& object, std::string_view message) {
  std::string out(message);
  std::string_view kind = text(object, "type");
  if (kind.empty()) kind = text(object, "error_type");
  if (!kind.empty() && kind != "error") out.append(" (").append(kind).append(")");
  return printable(out);
}

// What servers put into an `error` that is none.
bool is_blank(const Json& value) {
  std::string_view string;
  bool flag = true;
  simdjson::dom::object object;
  if (value.get(string) == simdjson::SUCCESS) return string.empty();
  if (value.get(flag) == simdjson::SUCCESS) return !flag;
  if (value.get(object) == simdjson::SUCCESS) return object.size() == 0;
  return value.is_null();
}

}  // namespace

std::optional<std::int64_t> count(const Json& object, std::string_view key) {
  double value = 0;
  if (object[key].get(value) != simdjson::SUCCESS || value < 0 || value > 1e12) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

bool parse(simdjson::dom::parser& parser, std::string_view padded, Json& out) {
  return parser.parse(padded.data(), padded.size(), false).get(out) == simdjson::SUCCESS;
}

std::optional<std::string> error_message(const Json& root) {
  if (const auto error = member(root, "error"); error && !is_blank(*error)) {
    std::string_view message;
    if (error->get(message) == simdjson::SUCCESS) return described(root, message);
    message = text(*error, "message");
    return described(*error, message.empty() ? "an error without a message" : message);
  }
  const std::string_view object = text(root, "object");
  const std::string_view message = text(root, "message");
  if (object == "error" || (!text(root, "error_type").empty())) return described(root, message);
  return std::nullopt;
}

}  // namespace internal

std::string error_text(std::string_view body) {
  using internal::Json;
  simdjson::dom::parser parser;
  Json root;
  if (parser.parse(simdjson::padded_string(body)).get(root) != simdjson::SUCCESS) {
    return printable(trim(body));
  }
  if (const auto message = internal::error_message(root)) return *message;
  for (const std::string_view key : {"detail", "message"}) {
    // FastAPI's validation errors repeat the whole prompt in a list: only plain text is shown.
    if (const auto detail = internal::text(root, key); !detail.empty()) return printable(detail);
  }
  return printable(trim(body));
}

}  // namespace tokprobe
