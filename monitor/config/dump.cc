#include "monitor/config/dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "monitor/config/objectives.h"
#include "probes/base/text.h"
#include "probes/base/url.h"

namespace tokprobe {
namespace {

// What YAML 1.1 takes for null or a truth value.
constexpr std::array<std::string_view, 9> kWords{"null", "true", "false", "yes", "no",
                                                 "on",   "off",  "y",     "n"};

// A text as YAML. Plain only where no reader could take it for something else.
std::string yaml_text(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '/';
  };
  const bool letter = !text.empty() && ((text[0] | 0x20) >= 'a' && (text[0] | 0x20) <= 'z');
  const bool word = std::any_of(kWords.begin(), kWords.end(),
                                [&](std::string_view other) { return iequals(text, other); });
  if (letter && !word && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
    if (c == '$') out += '$';
  }
  return out + "\"";
}

std::string masked(const std::string& url) {
  const Result<Url> parsed = parse_url(url);
  return yaml_text(parsed ? parsed->masked() : "(not valid)");
}

template <class List>
std::string flow_list(const List& values) {
  std::string out;
  for (const auto& value : values) out += fmt::format("{}{}", out.empty() ? "" : ", ", value);
  return "[" + out + "]";
}

std::string flow_list_of_texts(const std::vector<std::string>& texts) {
  std::vector<std::string> out;
  for (const std::string& text : texts) out.push_back(yaml_text(text));
  return flow_list(out);
}

void dump(const TargetConfig& target, std::string& out) {
  out +=
      fmt::format("  - name: {}\n    url: {}\n    api: {}\n    model: {}\n", yaml_text(target.name),
                  masked(target.url), yaml_text(target.api), yaml_text(target.model));
  if (!target.api_key_file.empty()) {
    out += fmt::format("    api_key_file: {}\n", yaml_text(target.api_key_file));
  }
  if (!target.ca_file.empty()) out += fmt::format("    ca_file: {}\n", yaml_text(target.ca_file));
  out += fmt::format("    insecure: {}\n", target.insecure);
  if (!target.proxy.empty()) out += fmt::format("    proxy: {}\n", masked(target.proxy));
  if (!target.labels.empty()) out += "    labels:\n";
  for (const auto& [name, value] : target.labels) {
    out += fmt::format("      {}: {}\n", yaml_text(name), yaml_text(value));
  }
  if (!target.headers.empty()) out += "    headers:\n";
  for (const auto& [name, value] : target.headers) {
    out += fmt::format("      {}: xxx\n", yaml_text(name));
  }
}

std::string threshold(const Objective& objective) {
  const ObjectiveRow* row = find_objective(objective.name);
  const bool duration = row != nullptr && row->unit == ObjectiveUnit::kDuration;
  return duration ? format_duration(Duration(std::llround(objective.threshold * 1e9)))
                  : fmt::format("{}", objective.threshold);
}

void dump(const ProbeConfig& probe, std::string& out) {
  out += fmt::format("  - name: {}\n    enabled: {}\n    kind: {}\n", yaml_text(probe.name),
                     probe.enabled, probe.kind == ProbeConfig::Kind::kSpeed ? "speed" : "canary");
  if (!probe.targets.empty()) {
    out += fmt::format("    targets: {}\n", flow_list_of_texts(probe.targets));
  }
  out += fmt::format("    interval: {}\n    concurrency: {}\n", format_duration(probe.interval),
                     flow_list(probe.concurrency));
  if (probe.requests > 0) out += fmt::format("    requests: {}\n", probe.requests);
  out += fmt::format("    input_tokens: {}\n    output_tokens: {}\n    connection: {}\n",
                     probe.input_tokens, probe.output_tokens,
                     probe.reuse_connections ? "reuse" : "fresh");
  const Timeouts& t = probe.timeout;
  out += fmt::format("    timeout: {{connect: {}, first_token: {}, stall: {}, total: {}}}\n",
                     format_duration(t.connect), format_duration(t.first_token),
                     format_duration(t.stall), format_duration(t.total));
  if (!probe.objectives.empty()) out += "    objectives:\n";
  for (const Objective& objective : probe.objectives) {
    out += fmt::format("      {}: {}\n", objective.name, threshold(objective));
  }
}

}  // namespace

std::string dump_config(const Config& config) {
  std::string out = "targets:\n";
  for (const TargetConfig& target : config.targets) dump(target, out);
  if (!config.series_labels.empty()) {
    out += fmt::format("series_labels: {}\n", flow_list_of_texts(config.series_labels));
  }
  if (!config.probes.empty()) out += "probes:\n";
  for (const ProbeConfig& probe : config.probes) dump(probe, out);
  return out;
}

}  // namespace tokprobe
