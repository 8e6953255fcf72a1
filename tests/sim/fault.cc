#include "tests/sim/fault.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tokprobe_sim {
namespace {

using nlohmann::json;

constexpr std::array<const char*, 8> kNames = {"status", "reset", "truncate", "stall",
                                               "never",  "error", "buffered", "slow"};

bool whole(const json& value, int low, int high) {
  return value.is_number_integer() && value.get<double>() >= low && value.get<double>() <= high;
}

bool set_field(const std::string& key, const json& value, Fault& out) {
  if (key == "status" && whole(value, 100, 599)) {
    out.status = value;
  } else if (key == "retry_after" && whole(value, 0, 86400)) {
    out.retry_after = value.get<int>();
  } else if (key == "after_tokens" && whole(value, 0, 1 << 30)) {
    out.after_tokens = value;
  } else if (key == "count" && whole(value, 0, 1 << 30)) {
    out.count = value.get<int>();
  } else if (key == "seconds" && value.is_number() && value >= 0 && value <= 1e6) {
    out.seconds = value;
  } else if (key == "probability" && value.is_number() && value >= 0 && value <= 1) {
    out.probability = value;
  } else {
    return false;
  }
  return true;
}

}  // namespace

const char* name_of(FaultKind kind) { return kNames[static_cast<size_t>(kind)]; }

std::string parse_fault(const json& document, Fault& out) {
  if (!document.is_object() || !document.contains("kind") || !document["kind"].is_string()) {
    return "a fault is an object with a \"kind\"";
  }
  const std::string kind = document["kind"];
  Fault fault;
  size_t index = 0;
  while (index < kNames.size() && kind != kNames[index]) ++index;
  if (index == kNames.size()) {
    return fmt::format("unknown fault '{}' (one of {})", kind, fmt::join(kNames, ", "));
  }
  fault.kind = static_cast<FaultKind>(index);
  for (const auto& [key, value] : document.items()) {
    if (key != "kind" && !value.is_null() && !set_field(key, value, fault)) {
      return fmt::format("fault '{}': bad key or value: {}={}", kind, key, value.dump());
    }
  }
  out = fault;
  return "";
}

std::string parse_fault(const std::string& text, Fault& out) {
  std::istringstream parts(text);
  std::string part;
  std::getline(parts, part, ',');
  json document = {{"kind", part}};
  while (std::getline(parts, part, ',')) {
    const size_t equals = part.find('=');
    if (equals == std::string::npos) return fmt::format("fault: '{}' is not KEY=VALUE", part);
    const json value = json::parse(part.substr(equals + 1), nullptr, false);
    if (value.is_discarded()) return fmt::format("fault: '{}' is not KEY=NUMBER", part);
    document[part.substr(0, equals)] = value;
  }
  return parse_fault(document, out);
}

json to_json(const Fault& fault) {
  json out = {{"kind", name_of(fault.kind)}, {"probability", fault.probability}};
  if (fault.kind == FaultKind::kStatus) out["status"] = fault.status;
  if (fault.kind == FaultKind::kSlow) out["seconds"] = fault.seconds;
  if (fault.retry_after) out["retry_after"] = *fault.retry_after;
  if (fault.count) out["count"] = *fault.count;
  if (fault.after_tokens > 0) out["after_tokens"] = fault.after_tokens;
  return out;
}

}  // namespace tokprobe_sim
