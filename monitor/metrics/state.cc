#include "monitor/metrics/state.h"

#include <algorithm>
#include <cmath>

#include "monitor/metrics/objective.h"
#include "probes/base/text.h"
#include "probes/base/url.h"

namespace tokprobe {
namespace {

bool per_level(const Measure& m) { return !m.histogram.empty() && m.key != "duration_seconds"; }

LevelState initial_level(const ProbeConfig& probe, int concurrency) {
  LevelState level;
  level.concurrency = concurrency;
  for (const Objective& o : probe.objectives) level.objectives.push_back({o, 0, 0});
  for (const Measure& m : all_measures()) {
    if (per_level(m)) level.histograms.emplace_back(m.edges);
  }
  level.last_run.resize(all_measures().size());
  level.last_phases.resize(all_phases().size());
  return level;
}

std::string masked(const std::string& url) {
  const auto parsed = parse_url(url);
  return parsed ? parsed->masked() : std::string();
}

void count_request(const ProbeResult& r, ProbeState& probe, LevelState& level) {
  ++level.requests;
  if (!r.ok()) ++level.failures[static_cast<std::size_t>(r.reason)];
  for (std::size_t i = 0; i < kWarningCount; ++i) level.warnings[i] += r.warnings.test(i) ? 1 : 0;
  const auto add = [](std::uint64_t& total, std::optional<std::int64_t> tokens) {
    total += static_cast<std::uint64_t>(std::max<std::int64_t>(0, tokens.value_or(0)));
  };
  add(probe.output_tokens, r.timing.output_tokens);
  add(probe.prompt_tokens, r.prompt_tokens);
  add(probe.cached_prompt_tokens, r.cached_prompt_tokens);
  add(probe.reasoning_tokens, r.reasoning_tokens);
}

void observe(const ProbeResult& r, ProbeState& probe, LevelState& level) {
  if (!r.ok()) return;
  std::size_t next = 0;
  for (const Measure& m : all_measures()) {
    if (m.histogram.empty()) continue;
    Histogram& into = per_level(m) ? level.histograms[next++] : probe.duration;
    if (const auto value = m.of_request(r)) into.observe(*value);
  }
  for (std::size_t i = 1; i < r.arrivals.size(); ++i) {
    probe.inter_chunk.observe(seconds(r.arrivals[i] - r.arrivals[i - 1]));
  }
}

void note_outcome(const RunResult& run, LevelState& level) {
  const bool requests_ok = all_ok(run);
  ++level.runs;
  if (!requests_ok) ++level.failed_by_request;
  if (any_check_failed(run)) ++level.failed_by_check;
  const bool success = successful(run);
  level.success = success;
  level.consecutive_failures = success ? 0 : level.consecutive_failures + 1;
  level.last_run_timestamp = unix_seconds(run.started);
  if (success) level.last_success_timestamp = level.last_run_timestamp;
  if (!requests_ok) return;
  level.measured_output_tokens += static_cast<std::uint64_t>(output_tokens(run));
  level.measured_run_seconds += seconds(run_time(run).value_or(Duration::zero()));
}

template <class Range, class Match>
auto* find(Range& range, Match match) {
  const auto found = std::find_if(range.begin(), range.end(), match);
  return found == range.end() ? nullptr : &*found;
}

std::pair<ProbeState*, LevelState*> find_level(const RunResult& run, TargetState& state) {
  ProbeState* probe = find(state.probes, [&](const auto& p) { return p.name == run.probe; });
  if (probe == nullptr) return {nullptr, nullptr};
  return {probe,
          find(probe->levels, [&](const auto& l) { return l.concurrency == run.concurrency; })};
}

}  // namespace

void Histogram::observe(double value) {
  if (std::isnan(value)) return;
  const auto edge = std::lower_bound(edges.begin(), edges.end(), value);
  ++counts[static_cast<std::size_t>(edge - edges.begin())];
  sum += value;
}

TargetState initial_state(const Config& config, const TargetConfig& target) {
  TargetState state;
  state.name = target.name;
  state.url = masked(target.url);
  state.api = target.api;
  if (target.model != "auto") state.identity.model = target.model;
  state.labels = target.labels;
  for (const std::string& name : config.series_labels) {
    const auto value = target.labels.find(name);
    state.series_labels.emplace_back(name, value == target.labels.end() ? "" : value->second);
  }
  for (const ProbeConfig& probe : config.probes) {
    if (!probe.enabled || !probe.applies_to(target.name)) continue;
    ProbeState& p = state.probes.emplace_back();
    p.name = probe.name;
    p.interval_seconds = seconds(probe.interval);
    p.timeout_seconds = seconds(probe.timeout.total);
    for (const int c : probe.concurrency) p.levels.push_back(initial_level(probe, c));
  }
  return state;
}

void apply(const RunResult& run, TargetState& state) {
  if (run.cancelled) return;
  const auto [probe, level] = find_level(run, state);
  if (level == nullptr) return;
  state.load = run.load;
  for (const ProbeResult& r : run.unmeasured) count_request(r, *probe, *level);
  for (const ProbeResult& r : run.requests) {
    count_request(r, *probe, *level);
    observe(r, *probe, *level);
    for (ObjectiveCount& o : level->objectives) count_objective(r, o);
  }
  note_outcome(run, *level);
  for (std::size_t i = 0; i < all_measures().size(); ++i) {
    level->last_run[i] = all_measures()[i].of_run(run);
  }
  for (std::size_t i = 0; i < all_phases().size(); ++i) {
    level->last_phases[i] = phase_of_run(run, all_phases()[i]);
  }
}

void apply(const RunResult& run, const Judgement& judgement, TargetState& state) {
  if (LevelState* level = find_level(run, state).second) level->judgement = judgement;
}

void apply_skip(std::string_view probe, Skip reason, TargetState& state) {
  ProbeState* p = find(state.probes, [&](const auto& each) { return each.name == probe; });
  if (p != nullptr) ++p->skipped[static_cast<std::size_t>(reason)];
}

}  // namespace tokprobe
