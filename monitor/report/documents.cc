#include "monitor/report/documents.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "probes/base/version.h"
#include "probes/measures.h"

namespace tokprobe {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json or_null(const std::optional<Duration>& value) {
  return value ? Json(seconds(*value)) : Json(nullptr);
}

Json phases_json(const Phases& phases) {
  Json out = Json::object();
  for (const PhaseRow& row : all_phases()) out[std::string(row.name)] = or_null(phases.*row.member);
  return out;
}

Json checks_json(const std::vector<CheckResult>& checks) {
  Json out = Json::array();
  for (const CheckResult& check : checks) {
    out.push_back({{"name", check.name},
                   {"result", label(check.outcome)},
                   {"score", check.score},
                   {"detail", check.detail}});
  }
  return out;
}

Json warnings_json(const ProbeResult& r) {
  Json out = Json::array();
  for (const WarningRow& row : kWarnings) {
    if (r.warnings.test(static_cast<std::size_t>(row.warning))) out.push_back(row.label);
  }
  return out;
}

Json probe_json(const ProbeResult& r) {
  Json out;
  out["ok"] = r.ok();
  out["reason"] = label(r.reason);
  out["detail"] = r.detail.empty() ? Json(nullptr) : Json(r.detail);
  out["http_status"] = or_null(r.http_status);
  out["streamed"] = r.streamed;
  out["ttft_seconds"] = or_null(r.timing.ttft);
  out["time_to_first_answer_seconds"] = or_null(r.timing.first_answer);
  out["last_token_seconds"] = or_null(r.timing.last_token);
  out["duration_seconds"] = or_null(r.duration);
  out["tpot_seconds"] = or_null(r.timing.tpot);
  out["output_tokens"] = r.timing.output_tokens;
  out["token_source"] = label(r.timing.token_source);
  out["prompt_tokens"] = or_null(r.prompt_tokens);
  out["cached_prompt_tokens"] = or_null(r.cached_prompt_tokens);
  out["reasoning_tokens"] = or_null(r.reasoning_tokens);
  out["finish_reason"] = or_null(r.finish_reason);
  out["text"] = r.text;
  out["reasoning_text"] = r.reasoning_text;
  out["tool_arguments"] = r.tool_arguments;
  out["retry_after_seconds"] = or_null(r.retry_after_seconds);
  out["chunks"] = r.arrivals.size();
  out["inter_chunk_max_seconds"] = or_null(r.timing.gap_max);
  out["warnings"] = warnings_json(r);
  out["checks"] = checks_json(r.checks);
  out["phases"] = phases_json(r.phases);
  out["request_id"] = r.request_id;
  return out;
}

// Server text is data: what is not UTF-8 must not throw.
std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string probe_document(const ProbeResult& result) {
  Json out;
  out["schema"] = "tokprobe.probe/1";
  out.update(probe_json(result));
  return dump(out);
}

std::string run_document(const RunResult& run) {
  Json out;
  out["schema"] = "tokprobe.run/1";
  out["version"] = version();
  out["method"] = kMethod;
  out["started_at_seconds"] = unix_seconds(run.started);
  out["concurrency"] = run.concurrency;
  out["input_tokens"] = run.asked_input_tokens > 0 ? Json(run.asked_input_tokens) : Json(nullptr);
  out["output_tokens"] = run.asked_output_tokens;
  out["attempted"] = run.requests.size();
  out["ok"] = ok_count(run);
  out["failed"] = static_cast<int>(run.requests.size()) - ok_count(run);
  out["total_output_tokens"] = output_tokens(run);
  for (const Measure& m : all_measures()) out[std::string(m.key)] = or_null(m.of_run(run));
  out["complete"] = !run.cancelled;
  Time first = Time::max();
  for (const ProbeResult& r : run.requests) first = std::min(first, r.start);
  Json requests = Json::array();
  for (const ProbeResult& r : run.requests) {
    Json request = probe_json(r);
    request["start_seconds"] = seconds(r.start - first);
    requests.push_back(std::move(request));
  }
  out["requests"] = std::move(requests);
  out["unmeasured_requests"] = run.unmeasured.size();
  return dump(out);
}

}  // namespace tokprobe
