#include "monitor/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "probes/base/text.h"
#include "probes/measures.h"

namespace tokprobe {
namespace {

// Columns, not bytes: a table with an umlaut in it stays straight.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string number(std::optional<double> value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

void add(std::string& out, std::string_view name, const std::string& value) {
  if (!value.empty()) out += fmt::format("{:<22} {}\n", name, value);
}

std::string in_seconds(const std::optional<Duration>& d) {
  return d ? fmt::format("{:.3f} s", seconds(*d)) : std::string();
}

std::string tokens_text(const ProbeResult& r) {
  std::string out = fmt::format("{} out", r.timing.output_tokens);
  if (r.timing.token_source == TokenSource::kEvents) out += " (counted from events)";
  if (r.prompt_tokens) out += fmt::format(", {} in", *r.prompt_tokens);
  if (r.cached_prompt_tokens.value_or(0) > 0) {
    out += fmt::format(" ({} from a cache)", *r.cached_prompt_tokens);
  }
  if (r.reasoning_tokens.value_or(0) > 0) out += fmt::format(", {} reasoning", *r.reasoning_tokens);
  return out;
}

std::string warnings_text(const ProbeResult& r) {
  std::string out;
  for (const WarningRow& row : kWarnings) {
    if (!r.warnings.test(static_cast<std::size_t>(row.warning))) continue;
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", row.label, row.meaning);
  }
  return out;
}

std::string phases_text(const ProbeResult& r) {
  std::string out;
  for (const PhaseRow& row : all_phases()) {
    if (const auto& value = r.phases.*row.member) {
      out +=
          fmt::format("{}{} {:.1f} ms", out.empty() ? "" : ", ", row.name, 1e3 * seconds(*value));
    }
  }
  return out;
}

}  // namespace

std::string TextTable::render() const {
  std::vector<std::size_t> widths;
  for (const std::string& cell : header) widths.push_back(width(cell));
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string out;
  const auto add_row = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - width(row[i]), ' ');
      if (i > 0) line += "  ";
      line += right[i] ? space + row[i] : row[i] + space;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  add_row(header);
  for (const auto& row : rows) add_row(row);
  return out;
}

std::string probe_text(const ProbeResult& r, bool with_text) {
  std::string out;
  add(out, "result", r.ok() ? "ok" : fmt::format("FAILED: {} ({})", label(r.reason), r.detail));
  if (r.http_status) add(out, "http status", std::to_string(*r.http_status));
  add(out, "time to first token", in_seconds(r.timing.ttft));
  if (!r.reasoning_text.empty())
    add(out, "time to first answer", in_seconds(r.timing.first_answer));
  if (const auto speed = measure("request_tokens_per_second").of_request(r)) {
    add(out, "decode speed", fmt::format("{:.1f} tok/s ({:.2f} ms a token)", *speed, 1e3 / *speed));
  }
  if (const auto speed = measure("prefill_tokens_per_second").of_request(r)) {
    add(out, "prefill speed", fmt::format("{:.0f} tok/s", *speed));
  }
  add(out, "duration", in_seconds(r.duration));
  if (r.timing.output_tokens > 0 || r.prompt_tokens) add(out, "tokens", tokens_text(r));
  if (!r.arrivals.empty()) {
    add(out, "chunks",
        fmt::format("{}, longest gap {}", r.arrivals.size(),
                    r.timing.gap_max ? in_seconds(r.timing.gap_max) : "none"));
  }
  if (r.finish_reason) add(out, "finish reason", printable(*r.finish_reason, 60));
  add(out, "phases", phases_text(r));
  add(out, "warnings", warnings_text(r));
  for (const CheckResult& check : r.checks) {
    add(out, "check " + check.name, fmt::format("{} {}", label(check.outcome), check.detail));
  }
  if (with_text && !r.text.empty()) add(out, "text", printable(r.text, 2000));
  if (with_text && r.text.empty() && !r.reasoning_text.empty()) {
    add(out, "reasoning", printable(r.reasoning_text, 2000));
  }
  return out;
}

std::string run_text(const RunResult& run) {
  TextTable table;
  table.header = {"C", "Agg tok/s", "Per-req tok/s", "TTFT(s)", "Tokens", "Wall(s)", "Ok", "Fail"};
  table.right.assign(table.header.size(), true);
  const auto figure = [&](std::string_view key) { return measure(key).of_run(run); };
  const int ok = ok_count(run);
  table.rows.push_back(
      {std::to_string(run.concurrency), number(figure("output_tokens_per_second"), 1),
       number(figure("request_tokens_per_second"), 1), number(figure("ttft_seconds"), 2),
       std::to_string(output_tokens(run)), number(figure("wall_seconds"), 2), std::to_string(ok),
       std::to_string(static_cast<int>(run.requests.size()) - ok)});
  std::string out = table.render();
  std::map<std::string, int> failures;
  std::array<int, kWarningCount> warnings{};
  for (const ProbeResult& r : run.requests) {
    if (!r.ok()) ++failures[fmt::format("{}: {}", label(r.reason), r.detail)];
    for (std::size_t i = 0; i < kWarningCount; ++i) warnings[i] += r.warnings.test(i) ? 1 : 0;
  }
  for (const auto& [what, count] : failures)
    out += fmt::format("failed   {:>4} x {}\n", count, what);
  for (std::size_t i = 0; i < kWarningCount; ++i) {
    if (warnings[i] == 0) continue;
    out += fmt::format("warning  {:>4} x {}: {}\n", warnings[i], kWarnings[i].label,
                       kWarnings[i].meaning);
  }
  return out;
}

}  // namespace tokprobe
