#include "probes/measures.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

namespace tokprobe {
namespace {

using Value = std::optional<double>;

Value in_seconds(const std::optional<Duration>& d) { return d ? Value(seconds(*d)) : std::nullopt; }

// Prompt tokens that the server had to compute.
std::optional<std::int64_t> uncached(const ProbeResult& r) {
  if (!r.prompt_tokens) return std::nullopt;
  return std::max<std::int64_t>(0, *r.prompt_tokens - r.cached_prompt_tokens.value_or(0));
}

Value ttft(const ProbeResult& r) { return in_seconds(r.timing.ttft); }
Value first_answer(const ProbeResult& r) { return in_seconds(r.timing.first_answer); }
Value tpot(const ProbeResult& r) { return in_seconds(r.timing.tpot); }
Value gap_max(const ProbeResult& r) { return in_seconds(r.timing.gap_max); }
Value duration(const ProbeResult& r) { return in_seconds(r.duration); }

Value decode_speed(const ProbeResult& r) {
  if (!r.timing.tpot || *r.timing.tpot <= Duration::zero()) return std::nullopt;
  return 1 / seconds(*r.timing.tpot);
}

Value prefill_speed(const ProbeResult& r) {
  const auto tokens = uncached(r);
  if (!tokens || *tokens == 0 || !r.timing.ttft || *r.timing.ttft <= Duration::zero()) {
    return std::nullopt;
  }
  return static_cast<double>(*tokens) / seconds(*r.timing.ttft);
}

Value tokens_per_chunk(const ProbeResult& r) {
  const bool counted =
      r.timing.token_source == TokenSource::kUsage || r.timing.token_source == TokenSource::kNative;
  if (!counted || r.arrivals.empty()) return std::nullopt;
  return static_cast<double>(r.timing.output_tokens) / static_cast<double>(r.arrivals.size());
}

std::vector<double> over_ok(const RunResult& run, Value (*of)(const ProbeResult&)) {
  std::vector<double> values;
  for (const ProbeResult& r : run.requests) {
    if (!r.ok()) continue;
    if (const Value v = of(r)) values.push_back(*v);
  }
  return values;
}

template <Value (*Of)(const ProbeResult&)>
Value median_of(const RunResult& run) {
  return median(over_ok(run, Of));
}

template <Value (*Of)(const ProbeResult&)>
Value max_of(const RunResult& run) {
  const auto values = over_ok(run, Of);
  return values.empty() ? Value() : Value(*std::max_element(values.begin(), values.end()));
}

// A rate over the run's time; nothing when no request was ok.
Value per_run_second(const RunResult& run, std::optional<std::int64_t> tokens) {
  const auto time = run_time(run);
  if (!any_ok(run) || !tokens || !time || *time <= Duration::zero()) return std::nullopt;
  return static_cast<double>(*tokens) / seconds(*time);
}

// Nothing when the server gave no prompt figures for an ok request.
std::optional<std::int64_t> prompt_tokens(const RunResult& run) {
  std::int64_t sum = 0;
  for (const ProbeResult& r : run.requests) {
    if (!r.ok()) continue;
    const auto tokens = uncached(r);
    if (!tokens) return std::nullopt;
    sum += *tokens;
  }
  return sum;
}

Value output_speed(const RunResult& run) { return per_run_second(run, output_tokens(run)); }
Value prompt_speed(const RunResult& run) { return per_run_second(run, prompt_tokens(run)); }
Value total_speed(const RunResult& run) {
  const auto prompt = prompt_tokens(run);
  if (!prompt) return std::nullopt;
  return per_run_second(run, *prompt + output_tokens(run));
}

Value run_duration(const RunResult& run) {
  return any_ok(run) ? in_seconds(run_time(run)) : std::nullopt;
}
Value client_lag(const RunResult& run) {
  return any_ok(run) ? Value(seconds(run.client_lag)) : std::nullopt;
}

// Only where reasoning was seen: elsewhere it would repeat the time to first token.
Value first_answer_after_reasoning(const RunResult& run) {
  const bool reasoning = std::any_of(run.requests.begin(), run.requests.end(), [](const auto& r) {
    return r.ok() && !r.reasoning_text.empty();
  });
  return reasoning ? median_of<first_answer>(run) : std::nullopt;
}

constexpr std::array<double, 16> kTtftEdges{0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75,
                                            1,    1.5,   2,    3,   5,   10,  30,  60};
constexpr std::array<double, 16> kTpotEdges{0.002, 0.004, 0.006, 0.008, 0.01, 0.015, 0.02, 0.025,
                                            0.03,  0.04,  0.05,  0.075, 0.1,  0.15,  0.25, 0.5};
constexpr std::array<double, 16> kDurationEdges{0.1, 0.25, 0.5, 1,  2,  3,   5,   7.5,
                                                10,  15,   20,  30, 60, 120, 180, 300};
constexpr std::array<double, 16> kGapEdges{0.001, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05,
                                           0.075, 0.1,    0.2,   0.5,  1,     2,    5,    10};

constexpr std::array<Measure, 14> kMeasures{{
    {"output_tokens_per_second",
     "Agg tok/s",
     "run_output_tokens_per_second",
     "",
     {},
     Unit::kTokensPerSecond,
     Better::kMore,
     "Output tokens of the ok requests of the last run over its time: the server's speed at this "
     "concurrency.",
     nullptr,
     output_speed},
    {"request_tokens_per_second",
     "Per-req tok/s",
     "run_request_tokens_per_second",
     "",
     {},
     Unit::kTokensPerSecond,
     Better::kMore,
     "Median decode speed of a request of the last run, prefill excluded: 1 / time per output "
     "token.",
     decode_speed,
     median_of<decode_speed>},
    {"ttft_seconds", "TTFT(s)", "run_time_to_first_token_seconds", "time_to_first_token_seconds",
     kTtftEdges, Unit::kSeconds, Better::kLess,
     "Time from sending a request to its first generated text of any channel; median of the last "
     "run.",
     ttft, median_of<ttft>},
    {"ttft_max_seconds",
     "TTFT max(s)",
     "run_time_to_first_token_max_seconds",
     "",
     {},
     Unit::kSeconds,
     Better::kLess,
     "Longest time to first token of the last run.",
     nullptr,
     max_of<ttft>},
    {"time_to_first_answer_seconds",
     "Answer(s)",
     "run_time_to_first_answer_seconds",
     "",
     {},
     Unit::kSeconds,
     Better::kLess,
     "Median time to the first answer text of the last run; only where reasoning came before it.",
     first_answer,
     first_answer_after_reasoning},
    {"tpot_seconds", "TPOT(s)", "run_time_per_output_token_seconds",
     "time_per_output_token_seconds", kTpotEdges, Unit::kSeconds, Better::kLess,
     "Time per output token after the first text event; median of the last run.", tpot,
     median_of<tpot>},
    {"prompt_tokens_per_second",
     "Prompt tok/s",
     "run_prompt_tokens_per_second",
     "",
     {},
     Unit::kTokensPerSecond,
     Better::kMore,
     "Uncached prompt tokens of the ok requests of the last run over its time.",
     nullptr,
     prompt_speed},
    {"total_tokens_per_second",
     "Total tok/s",
     "run_total_tokens_per_second",
     "",
     {},
     Unit::kTokensPerSecond,
     Better::kMore,
     "Output and uncached prompt tokens of the ok requests of the last run over its time.",
     nullptr,
     total_speed},
    {"prefill_tokens_per_second",
     "Prefill tok/s",
     "run_prefill_tokens_per_second",
     "",
     {},
     Unit::kTokensPerSecond,
     Better::kMore,
     "Median over the last run of uncached prompt tokens / time to first token.",
     prefill_speed,
     median_of<prefill_speed>},
    {"inter_chunk_max_seconds",
     "Gap max(s)",
     "run_inter_chunk_max_seconds",
     "",
     {},
     Unit::kSeconds,
     Better::kLess,
     "Longest time between successive text events of a request of the last run.",
     gap_max,
     max_of<gap_max>},
    {"tokens_per_chunk",
     "Tok/chunk",
     "run_tokens_per_chunk",
     "",
     {},
     Unit::kTokens,
     Better::kMore,
     "Median tokens per text event of the last run; above 1 the server sends several tokens at "
     "once.",
     tokens_per_chunk,
     median_of<tokens_per_chunk>},
    {"duration_seconds", "Duration(s)", "", "request_duration_seconds", kDurationEdges,
     Unit::kSeconds, Better::kLess, "Time of a request from connecting to the end of its response.",
     duration, median_of<duration>},
    {"wall_seconds",
     "Wall(s)",
     "run_duration_seconds",
     "",
     {},
     Unit::kSeconds,
     Better::kLess,
     "Time from the first request's start to the last request's end in the last run.",
     nullptr,
     run_duration},
    {"client_lag_seconds",
     "Lag(s)",
     "run_client_lag_seconds",
     "",
     {},
     Unit::kSeconds,
     Better::kLess,
     "Longest stretch between two waits of our event loop in the last run: how late a time stamp "
     "can be.",
     nullptr,
     client_lag},
}};

constexpr std::array<PhaseRow, 6> kPhases{{{"dns", &Phases::dns},
                                           {"connect", &Phases::connect},
                                           {"tls", &Phases::tls},
                                           {"first_token", &Phases::first_token},
                                           {"generation", &Phases::generation},
                                           {"close", &Phases::close}}};

}  // namespace

std::span<const Measure> all_measures() { return kMeasures; }

const Measure& measure(std::string_view key) {
  for (const Measure& m : kMeasures) {
    if (m.key == key) return m;
  }
  throw std::logic_error("no measure " + std::string(key));
}

std::span<const PhaseRow> all_phases() { return kPhases; }

std::optional<double> phase_of_run(const RunResult& run, const PhaseRow& phase) {
  std::vector<double> values;
  for (const ProbeResult& r : run.requests) {
    if (r.ok() && r.phases.*phase.member) values.push_back(seconds(*(r.phases.*phase.member)));
  }
  return median(std::move(values));
}

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::optional<Duration> run_time(const RunResult& run) {
  if (run.requests.empty()) return std::nullopt;
  Time first = Time::max();
  Time last = Time::min();
  for (const ProbeResult& r : run.requests) {
    first = std::min(first, r.start);
    last = std::max(last, r.end);
  }
  return last - first;
}

std::int64_t output_tokens(const RunResult& run) {
  std::int64_t sum = 0;
  for (const ProbeResult& r : run.requests) sum += r.ok() ? r.timing.output_tokens : 0;
  return sum;
}

int ok_count(const RunResult& run) {
  return static_cast<int>(std::count_if(run.requests.begin(), run.requests.end(),
                                        [](const ProbeResult& r) { return r.ok(); }));
}
bool any_ok(const RunResult& run) { return ok_count(run) > 0; }
bool all_ok(const RunResult& run) {
  return !run.requests.empty() && ok_count(run) == static_cast<int>(run.requests.size());
}

bool any_check_failed(const RunResult& run) {
  return std::any_of(run.requests.begin(), run.requests.end(), [](const ProbeResult& r) {
    return std::any_of(r.checks.begin(), r.checks.end(), [](const CheckResult& c) {
      return c.outcome == CheckResult::Outcome::kFail;
    });
  });
}
bool successful(const RunResult& run) { return all_ok(run) && !any_check_failed(run); }

std::span<const double> inter_chunk_edges() { return kGapEdges; }

}  // namespace tokprobe
