#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "probes/result.h"

namespace tokprobe {

enum class Unit { kSeconds, kTokensPerSecond, kTokens };
enum class Better { kLess, kMore };

/// One public figure. A row gives a last-run gauge, perhaps a histogram, a column of reports and a
/// line of documentation. `of_run` is absent (nullopt) when no request of the run was ok or the
/// figure could not be measured; it is never 0 in place of unknown.
struct Measure {
  std::string_view key;        ///< in documents: "ttft_seconds"
  std::string_view title;      ///< in tables: "TTFT(s)"
  std::string_view gauge;      ///< metric of the last run, without the prefix tokprobe_
  std::string_view histogram;  ///< metric over ok requests, or empty
  std::span<const double> edges;
  Unit unit;
  Better better;
  std::string_view help;
  std::optional<double> (*of_request)(const ProbeResult&);  ///< null for figures of a run only
  std::optional<double> (*of_run)(const RunResult&);
};

std::span<const Measure> all_measures();
/// Requires a key of the table.
const Measure& measure(std::string_view key);

/// The pieces of a request's duration, as the label `phase` names them.
struct PhaseRow {
  std::string_view name;
  std::optional<Duration> Phases::*member;
};
std::span<const PhaseRow> all_phases();
/// Median over the run's ok requests.
std::optional<double> phase_of_run(const RunResult& run, const PhaseRow& phase);

/// Middle value; mean of the two middle ones for an even number; nothing of nothing.
std::optional<double> median(std::vector<double> values);

/// Last request end - first request start, over all measured requests; nothing without any.
std::optional<Duration> run_time(const RunResult& run);
/// Sums over the ok requests.
std::int64_t output_tokens(const RunResult& run);
bool any_ok(const RunResult& run);
bool all_ok(const RunResult& run);
bool any_check_failed(const RunResult& run);
/// What tokprobe_success says: every request was ok and no check failed.
bool successful(const RunResult& run);
int ok_count(const RunResult& run);

/// Edges of tokprobe_inter_chunk_seconds, whose samples are gaps and not requests.
std::span<const double> inter_chunk_edges();

}  // namespace tokprobe
