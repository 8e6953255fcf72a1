#include "monitor/config/cost.h"

#include <algorithm>

namespace tokprobe {
namespace {

constexpr double kDaySeconds = 86400;

double objective_or(const ProbeConfig& probe, std::string_view name, double otherwise) {
  for (const Objective& objective : probe.objectives) {
    if (objective.name == name) return objective.threshold;
  }
  return otherwise;
}

Cost cost_of(const ProbeConfig& probe, const SeriesCounts& series, const AssumedSpeed& assumed) {
  Cost cost;
  if (!probe.enabled) return cost;
  const double turns = kDaySeconds / seconds(probe.interval);
  const double request_seconds = expected_request_seconds(probe, assumed);
  for (const int level : probe.concurrency) {
    const int requests = probe.requests_at(level);
    const int rounds = (requests + level - 1) / level;
    cost.runs += turns;
    cost.requests += turns * requests;
    cost.busy += rounds * request_seconds / seconds(probe.interval);
  }
  cost.prompt_tokens = cost.requests * probe.input_tokens;
  cost.output_tokens = cost.requests * probe.output_tokens;
  const auto levels = static_cast<long>(probe.concurrency.size());
  const auto objectives = static_cast<long>(probe.objectives.size());
  cost.series = series.per_probe + objectives * series.per_probe_objective +
                levels * (series.per_level + objectives * series.per_level_objective);
  return cost;
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  runs += other.runs;
  requests += other.requests;
  prompt_tokens += other.prompt_tokens;
  output_tokens += other.output_tokens;
  busy += other.busy;
  series += other.series;
  return *this;
}

double expected_request_seconds(const ProbeConfig& probe, const AssumedSpeed& assumed) {
  const double first = objective_or(
      probe, "time_to_first_token",
      assumed.first_token_seconds + probe.input_tokens / assumed.prompt_tokens_per_second);
  const double speed =
      objective_or(probe, "request_tokens_per_second", assumed.request_tokens_per_second);
  const double token = objective_or(probe, "time_per_output_token", 1 / speed);
  const double whole = objective_or(probe, "request_duration", first + probe.output_tokens * token);
  return std::min(whole, seconds(probe.timeout.total));
}

CostEstimate estimate_cost(const Config& config, const SeriesCounts& series,
                           const AssumedSpeed& assumed) {
  CostEstimate estimate{{}, {}, series, assumed};
  double busiest = 0;
  for (const TargetConfig& target : config.targets) {
    TargetCost out{&target, {}, {}};
    out.sum.series = series.per_target;
    for (const ProbeConfig& probe : config.probes) {
      if (!probe.applies_to(target.name)) continue;
      out.probes.push_back({&probe, cost_of(probe, series, assumed)});
      out.sum += out.probes.back().cost;
    }
    estimate.total += out.sum;
    busiest = std::max(busiest, out.sum.busy);
    estimate.targets.push_back(std::move(out));
  }
  estimate.total.busy = busiest;
  return estimate;
}

}  // namespace tokprobe
