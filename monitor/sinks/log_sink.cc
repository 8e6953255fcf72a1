#include "monitor/sinks/log_sink.h"

#include <fmt/format.h>

#include <map>

#include "probes/measures.h"

namespace tokprobe {
namespace {

void add_figure(LogFields& fields, std::string_view key, const RunResult& run, int digits) {
  if (const auto value = measure(key).of_run(run)) {
    fields.emplace_back(key, fmt::format("{:.{}f}", *value, digits));
  }
}

// "timeout_stall=2,http_5xx=1" and the first failure in words.
void add_failures(LogFields& fields, const RunResult& run) {
  std::map<std::string_view, int> reasons;
  const ProbeResult* first = nullptr;
  for (const ProbeResult& r : run.requests) {
    if (r.ok()) continue;
    ++reasons[label(r.reason)];
    if (first == nullptr) first = &r;
  }
  if (first == nullptr) return;
  std::string text;
  for (const auto& [reason, count] : reasons) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", reason, count);
  }
  fields.emplace_back("reasons", text);
  fields.emplace_back("detail", first->detail);
  fields.emplace_back("request_id", first->request_id);
}

}  // namespace

void LogSink::on_run(const RunResult& run) {
  const int ok = ok_count(run);
  LogFields fields{{"target", run.target},
                   {"probe", run.probe},
                   {"concurrency", std::to_string(run.concurrency)},
                   {"ok", std::to_string(ok)},
                   {"failed", std::to_string(static_cast<int>(run.requests.size()) - ok)}};
  add_figure(fields, "output_tokens_per_second", run, 1);
  add_figure(fields, "request_tokens_per_second", run, 1);
  add_figure(fields, "ttft_seconds", run, 4);
  add_figure(fields, "wall_seconds", run, 3);
  add_failures(fields, run);
  const bool good = successful(run);
  log_.write(good ? LogLevel::kInfo : LogLevel::kWarn, good ? "run ok" : "run failed", fields);
}

void LogSink::on_skip(std::string_view target, std::string_view probe, Skip reason) {
  log_.warn("run skipped", {{"target", std::string(target)},
                            {"probe", std::string(probe)},
                            {"reason", std::string(kSkips[static_cast<std::size_t>(reason)])}});
}

void LogSink::on_identity(std::string_view target, const Identity& identity) {
  log_.info("server identified", {{"target", std::string(target)},
                                  {"model", identity.model},
                                  {"server", identity.server},
                                  {"server_version", identity.version}});
}

}  // namespace tokprobe
