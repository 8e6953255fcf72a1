#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "monitor/config/config.h"
#include "monitor/judge/judge.h"
#include "probes/identity.h"
#include "probes/measures.h"
#include "probes/result.h"

namespace tokprobe {

/// Counts of a classic histogram. `counts` has one more entry than there are edges.
struct Histogram {
  std::span<const double> edges;
  std::vector<std::uint64_t> counts;
  double sum = 0;

  explicit Histogram(std::span<const double> e) : edges(e), counts(e.size() + 1) {}
  /// An edge is inclusive, as Prometheus has it. NaN is passed over.
  void observe(double value);
};

enum class Skip { kOverlap, kBudget, kMaintenance };
inline constexpr std::array<std::string_view, 3> kSkips{"overlap", "budget", "maintenance"};

/// Requests that an objective judged, and those that missed it.
struct ObjectiveCount {
  Objective objective;
  std::uint64_t requests = 0;
  std::uint64_t violations = 0;
};

/// The figures of one {target, probe, concurrency}. Counters count from the agent's start; the
/// optional values are those of the last run, absent when they are unknown.
struct LevelState {
  int concurrency = 1;
  std::uint64_t runs = 0;
  std::uint64_t failed_by_request = 0;
  std::uint64_t failed_by_check = 0;
  std::uint64_t requests = 0;
  std::array<std::uint64_t, kReasonCount> failures{};
  std::array<std::uint64_t, kWarningCount> warnings{};
  std::uint64_t measured_output_tokens = 0;
  double measured_run_seconds = 0;
  std::vector<ObjectiveCount> objectives;
  std::vector<Histogram> histograms;               ///< of the measures that have one for {T}
  std::vector<std::optional<double>> last_run;     ///< by row of all_measures()
  std::vector<std::optional<double>> last_phases;  ///< by row of all_phases()
  std::optional<bool> success;
  std::uint64_t consecutive_failures = 0;
  std::optional<double> last_run_timestamp, last_success_timestamp;
  std::optional<Judgement> judgement;  ///< of the last run that could be judged
};

/// The figures of one {target, probe}.
struct ProbeState {
  std::string name;
  double interval_seconds = 0;
  double timeout_seconds = 0;
  std::array<std::uint64_t, kSkips.size()> skipped{};
  std::uint64_t degraded = 0;
  std::uint64_t output_tokens = 0, prompt_tokens = 0, cached_prompt_tokens = 0,
                reasoning_tokens = 0;
  Histogram inter_chunk{inter_chunk_edges()};
  Histogram duration{measure("duration_seconds").edges};
  std::vector<LevelState> levels;
};

/// Everything the agent exports about one target. A value: what is published is a copy.
struct TargetState {
  std::string name;
  std::string url;  ///< masked
  std::string api;
  Identity identity;
  ServerLoad load;                                                 ///< just before the last run
  std::map<std::string, std::string> labels;                       ///< into target_info
  std::vector<std::pair<std::string, std::string>> series_labels;  ///< on every series
  std::vector<ProbeState> probes;
};

/// The state before anything has been done: every counter of every combination at 0.
TargetState initial_state(const Config& config, const TargetConfig& target);

/// Counts a run. The probe and the level must be in the state. A cancelled run is not counted.
void apply(const RunResult& run, TargetState& state);
/// Notes what the judge said of a run.
void apply(const RunResult& run, const Judgement& judgement, TargetState& state);
/// Counts a slot of the schedule that had no run.
void apply_skip(std::string_view probe, Skip reason, TargetState& state);

}  // namespace tokprobe
