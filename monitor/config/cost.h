#pragma once

#include <string>
#include <vector>

#include "monitor/config/config.h"

namespace tokprobe {

/// How many series the metrics have. The table of metrics lives elsewhere and fills this in.
struct SeriesCounts {
  int per_level = 0;            ///< for each {target, probe, concurrency}
  int per_level_objective = 0;  ///< in addition, for each objective of the probe
  int per_probe = 0;            ///< for each {target, probe}
  int per_probe_objective = 0;  ///< in addition, for each objective of the probe
  int per_target = 0;           ///< for each {target}
};
/// More series than this for one {target, probe, concurrency} are too many.
inline constexpr int kMaxSeriesPerLevel = 200;

/// How fast a server is taken to be where a probe has no objective that says it.
struct AssumedSpeed {
  double first_token_seconds = 1;          ///< besides the time for the prompt
  double prompt_tokens_per_second = 2000;  ///< prefill
  double request_tokens_per_second = 50;   ///< decode of one request
};

/// Amounts of one day, but for `series`.
struct Cost {
  double runs = 0;  ///< one for each level of concurrency
  double requests = 0;
  double prompt_tokens = 0;
  double output_tokens = 0;
  double busy = 0;  ///< share of the time with a run of ours; above 1: it cannot fit
  long series = 0;

  Cost& operator+=(const Cost& other);
};

struct ProbeCost {
  const ProbeConfig* probe;
  Cost cost;  ///< zero when the probe is disabled
};
struct TargetCost {
  const TargetConfig* target;
  std::vector<ProbeCost> probes;  ///< those that apply to the target, in the order of the file
  Cost sum;
};
/// Points into the config that it was made from.
struct CostEstimate {
  std::vector<TargetCost> targets;
  Cost total;  ///< of all targets; `busy` is that of the busiest one
  SeriesCounts series;
  AssumedSpeed assumed;
};

/// How long a request of this probe is taken to last. Its objective request_duration, if it has
/// one; else the time to the first token (objective time_to_first_token, else first_token_seconds +
/// input_tokens / prompt_tokens_per_second) plus output_tokens times the time of a token (objective
/// time_per_output_token, else 1 / objective request_tokens_per_second, else
/// 1 / request_tokens_per_second). Never more than timeout.total.
double expected_request_seconds(const ProbeConfig& probe, const AssumedSpeed& assumed);

/// For an enabled probe, with T = 86400 s / interval turns a day, L levels C and R(C) requests:
///   runs = T L, requests = T sum(R), tokens = requests times tokens of a request,
///   busy = sum(ceil(R / C)) times expected_request_seconds / interval,
///   series = per_probe + O per_probe_objective + L (per_level + O per_level_objective)
/// with O objectives; a target adds per_target series. Warm-up and calibration are not counted.
CostEstimate estimate_cost(const Config& config, const SeriesCounts& series,
                           const AssumedSpeed& assumed = {});

/// The estimate as a table for a terminal (under 90 columns while names are short), with the
/// assumptions. Targets with the same probes share one block.
std::string render_cost(const CostEstimate& estimate);

}  // namespace tokprobe
