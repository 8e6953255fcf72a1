#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "monitor/config/keys_internal.h"
#include "probes/base/text.h"

namespace tokprobe::config_detail {
namespace {

// Every label of our own metrics, and those that Prometheus gives a meaning.
constexpr std::array<std::string_view, 28> kReserved{
    "alertname",      "api",   "cause",    "check",   "code",    "concurrency", "handler",
    "instance",       "job",   "le",       "measure", "method",  "model",       "objective",
    "phase",          "probe", "quantile", "reason",  "result",  "revision",    "server",
    "server_version", "state", "target",   "url",     "version", "warning",     "window"};

bool is_label_name(std::string_view name) {
  const auto good = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), good);
}

}  // namespace

std::span<const std::string_view> reserved_labels() { return kReserved; }

std::string label_name_fault(std::string_view name) {
  const std::string shown = printable(name, 60);
  if (!is_label_name(name)) {
    return fmt::format("'{}' is not a label name; allowed: letters, digits and '_', no digit first",
                       shown);
  }
  if (name.size() > 100) return fmt::format("label name '{}' has more than 100 characters", shown);
  if (name.starts_with("__")) {
    return fmt::format("label name '{}': names that begin with '__' belong to Prometheus", shown);
  }
  if (std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end()) {
    return fmt::format("label name '{}' is reserved; choose another", shown);
  }
  return "";
}

}  // namespace tokprobe::config_detail
