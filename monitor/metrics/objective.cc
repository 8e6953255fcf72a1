#include "monitor/metrics/objective.h"

#include <array>
#include <utility>

#include "probes/measures.h"

namespace tokprobe {
namespace {

// The measure behind an objective of the configuration.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kMeasured{
    {{"time_to_first_token", "ttft_seconds"},
     {"time_to_first_answer", "time_to_first_answer_seconds"},
     {"time_per_output_token", "tpot_seconds"},
     {"request_duration", "duration_seconds"},
     {"request_tokens_per_second", "request_tokens_per_second"}}};

void count_availability(const ProbeResult& result, ObjectiveCount& count) {
  const bool fault = row(result.reason).server_fault;
  if (!result.ok() && !fault) return;
  ++count.requests;
  count.violations += fault ? 1 : 0;
}

}  // namespace

void count_objective(const ProbeResult& result, ObjectiveCount& count) {
  if (count.objective.name == "availability") {
    count_availability(result, count);
    return;
  }
  if (!result.ok()) return;
  for (const auto& [name, key] : kMeasured) {
    if (name != count.objective.name) continue;
    const Measure& m = measure(key);
    const auto value = m.of_request(result);
    if (!value) return;
    ++count.requests;
    const double limit = count.objective.threshold;
    count.violations += (m.better == Better::kLess ? *value > limit : *value < limit) ? 1 : 0;
  }
}

}  // namespace tokprobe
