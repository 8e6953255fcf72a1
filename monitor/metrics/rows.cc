#include <fmt/format.h>

#include <cmath>

#include "monitor/metrics/rows_internal.h"
#include "probes/base/text.h"

namespace tokprobe::internal {
namespace {

using Level = const LevelState&;
using Probe = const ProbeState&;
using Target = const TargetState&;
using Index = std::size_t;

double number(std::uint64_t count) { return static_cast<double>(count); }

void emit_failures(Level l, Index, Samples& s) {
  for (const ReasonRow& row : kReasons) {
    if (is_failure(row.reason))
      s.add(number(l.failures[static_cast<Index>(row.reason)]), "reason", row.label);
  }
}

void emit_warnings(Level l, Index, Samples& s) {
  for (Index i = 0; i < kWarningCount; ++i)
    s.add(number(l.warnings[i]), "warning", kWarnings[i].label);
}

void emit_run_failures(Level l, Index, Samples& s) {
  s.add(number(l.failed_by_request), "cause", "request");
  s.add(number(l.failed_by_check), "cause", "check");
}

void emit_phases(Level l, Index, Samples& s) {
  for (Index i = 0; i < all_phases().size(); ++i) {
    if (l.last_phases[i]) s.add(*l.last_phases[i], "phase", all_phases()[i].name);
  }
}

// 0.1F as 0.1 and not as 0.1000000014901161.
double shortest(float value) { return std::stod(fmt::format("{}", value)); }

// Unknown figures are NaN in the judge and absent here.
void emit_expected(Level l, Index i, Samples& s) {
  if (l.judgement && !std::isnan(l.judgement->expected[i]))
    s.add(shortest(l.judgement->expected[i]));
}

void emit_ratios(Level l, Index, Samples& s) {
  if (!l.judgement) return;
  for (Index w = 0; w < kWindows.size(); ++w) {
    for (Index m = 0; m < kJudged.size(); ++m) {
      const float ratio = l.judgement->ratios[w][m];
      if (std::isnan(ratio)) continue;
      s.add(shortest(ratio),
            {{"measure", std::string(kJudged[m].label)}, {"window", std::string(kWindows[w])}});
    }
  }
}

void emit_info(Target t, Index, Samples& s) {
  std::vector<Samples::Label> labels{{"target", t.name},
                                     {"url", t.url},
                                     {"api", t.api},
                                     {"server", t.identity.server},
                                     {"server_version", t.identity.version},
                                     {"model", printable(t.identity.model, 200)}};
  for (const auto& [name, value] : t.labels) labels.push_back({name, value});
  s.add_labelled(std::move(labels), 1);
}

std::vector<Row<LevelState>> make_level_rows() {
  std::vector<Row<LevelState>> rows{
      {"runs_total", Kind::kCounter, "", "Runs made.",
       [](Level l, Index, Samples& s) { s.add(number(l.runs)); }},
      {"run_failures_total", Kind::kCounter, "cause",
       "Runs in which a request failed, or a text check; both can count for one run.",
       emit_run_failures},
      {"requests_total", Kind::kCounter, "",
       "Generation requests sent, calibration included; each is ok or stands in "
       "request_failures_total.",
       [](Level l, Index, Samples& s) { s.add(number(l.requests)); }},
      {"request_failures_total", Kind::kCounter, "reason", "Requests that failed, by reason.",
       emit_failures},
      {"request_warnings_total", Kind::kCounter, "warning", "Remarks on requests that count as ok.",
       emit_warnings},
      {"measured_output_tokens_total", Kind::kCounter, "",
       "Output tokens of runs whose every request was ok.",
       [](Level l, Index, Samples& s) { s.add(number(l.measured_output_tokens)); }},
      {"measured_run_seconds_total", Kind::kCounter, "",
       "Time of runs whose every request was ok; advances with measured_output_tokens_total.",
       [](Level l, Index, Samples& s) { s.add(l.measured_run_seconds); }},
      {"objective_requests_total", Kind::kCounter, "objective",
       "Requests that an objective judged.",
       [](Level l, Index, Samples& s) {
         for (const auto& o : l.objectives)
           s.add(number(o.requests), "objective", o.objective.name);
       }},
      {"objective_violations_total", Kind::kCounter, "objective",
       "Requests that missed an objective.",
       [](Level l, Index, Samples& s) {
         for (const auto& o : l.objectives)
           s.add(number(o.violations), "objective", o.objective.name);
       }},
      {"success", Kind::kGauge, "",
       "1 when every request of the last run was ok and no check failed, else 0; absent before the "
       "first run.",
       [](Level l, Index, Samples& s) {
         if (l.success) s.add(*l.success ? 1 : 0);
       }},
      {"consecutive_failures", Kind::kGauge, "", "Runs without success since the last one with it.",
       [](Level l, Index, Samples& s) { s.add(number(l.consecutive_failures)); }},
      {"last_run_timestamp_seconds", Kind::kGauge, "", "When the last run began.",
       [](Level l, Index, Samples& s) { s.add(l.last_run_timestamp); }},
      {"last_success_timestamp_seconds", Kind::kGauge, "", "When the last successful run began.",
       [](Level l, Index, Samples& s) { s.add(l.last_success_timestamp); }},
      {"run_phase_seconds", Kind::kGauge, "phase",
       "Median time of a phase of a request of the last run; the phases add up to its duration.",
       emit_phases},
      {"expected_samples", Kind::kGauge, "",
       "Runs that were accepted as normal, and from which the expected figures are taken.",
       [](Level l, Index, Samples& s) {
         if (l.judgement) s.add(number(l.judgement->samples));
       }},
      {"speed_ratio", Kind::kGauge, "measure,window",
       "Median over the window of measured to expected; 1 is normal, less is worse. Windows: "
       "recent "
       "(30 minutes or 5 runs), trend (4 hours or 12 runs), and month (a day or 24 runs, against "
       "what was normal four weeks before).",
       emit_ratios}};
  for (Index m = 0; m < kJudged.size(); ++m) {
    const std::string_view help = measure(kJudged[m].measure).help;
    rows.push_back(
        {std::string(kJudged[m].expected), Kind::kGauge, "",
         fmt::format("What this probe normally sees at the server's present load. {}", help),
         emit_expected, m});
  }
  Index histogram = 0;
  for (Index i = 0; i < all_measures().size(); ++i) {
    const Measure& m = all_measures()[i];
    if (!m.gauge.empty()) {
      rows.push_back({std::string(m.gauge), Kind::kGauge, "", std::string(m.help),
                      [](Level l, Index index, Samples& s) { s.add(l.last_run[index]); }, i});
    }
    if (!m.histogram.empty() && m.key != "duration_seconds") {
      rows.push_back({std::string(m.histogram), Kind::kHistogram, "",
                      "Over ok requests: " + std::string(m.help.substr(0, m.help.find(';'))) + ".",
                      [](Level l, Index index, Samples& s) { s.add(l.histograms[index]); },
                      histogram++});
    }
  }
  return rows;
}

std::vector<Row<ProbeState>> make_probe_rows() {
  return {{"runs_skipped_total", Kind::kCounter, "reason", "Slots of the schedule without a run.",
           [](Probe p, Index, Samples& s) {
             for (Index i = 0; i < kSkips.size(); ++i)
               s.add(number(p.skipped[i]), "reason", kSkips[i]);
           }},
          {"runs_degraded_total", Kind::kCounter, "",
           "Runs that were replaced by a heartbeat because the server was busy.",
           [](Probe p, Index, Samples& s) { s.add(number(p.degraded)); }},
          {"output_tokens_total", Kind::kCounter, "",
           "Output tokens that our requests caused, failed and unmeasured ones included.",
           [](Probe p, Index, Samples& s) { s.add(number(p.output_tokens)); }},
          {"prompt_tokens_total", Kind::kCounter, "",
           "Prompt tokens of all our requests, as far as the server counted them.",
           [](Probe p, Index, Samples& s) { s.add(number(p.prompt_tokens)); }},
          {"cached_prompt_tokens_total", Kind::kCounter, "",
           "Prompt tokens that the server took from a cache.",
           [](Probe p, Index, Samples& s) { s.add(number(p.cached_prompt_tokens)); }},
          {"reasoning_tokens_total", Kind::kCounter, "",
           "Reasoning tokens among the output tokens, where the server counts them.",
           [](Probe p, Index, Samples& s) { s.add(number(p.reasoning_tokens)); }},
          {"inter_chunk_seconds", Kind::kHistogram, "",
           "Time between successive text events of ok requests; one sample a gap.",
           [](Probe p, Index, Samples& s) { s.add(p.inter_chunk); }},
          {"request_duration_seconds", Kind::kHistogram, "",
           "Time of ok requests from connecting to the end of the response.",
           [](Probe p, Index, Samples& s) { s.add(p.duration); }},
          {"probe_interval_seconds", Kind::kGauge, "", "Configured time from run to run.",
           [](Probe p, Index, Samples& s) { s.add(p.interval_seconds); }},
          {"probe_timeout_seconds", Kind::kGauge, "", "Configured total time-out of a request.",
           [](Probe p, Index, Samples& s) { s.add(p.timeout_seconds); }},
          {"objective_value", Kind::kGauge, "objective",
           "Configured objectives, in seconds, tokens per second or as a ratio.",
           [](Probe p, Index, Samples& s) {
             if (p.levels.empty()) return;
             for (const auto& o : p.levels.front().objectives) {
               s.add(o.objective.threshold, "objective", o.objective.name);
             }
           }}};
}

std::vector<Row<TargetState>> make_target_rows() {
  return {
      {"target_info", Kind::kGauge,
       "url,api,server,server_version,model, and the labels of the configuration",
       "What is known about a target; always 1.", emit_info},
      {"server_running_requests", Kind::kGauge, "",
       "Requests in the server's batch just before the last run, in the server's own count.",
       [](Target t, Index, Samples& s) { s.add(t.load.running); }},
      {"server_waiting_requests", Kind::kGauge, "",
       "Requests in the server's queue just before the last run, in the server's own count.",
       [](Target t, Index, Samples& s) { s.add(t.load.waiting); }},
      {"server_kv_cache_usage_ratio", Kind::kGauge, "",
       "Share of the server's KV cache in use just before the last run, in the server's own count.",
       [](Target t, Index, Samples& s) { s.add(t.load.kv_usage); }}};
}

}  // namespace

void Samples::add(double value, std::string_view label, std::string_view label_value) {
  auto& metric = samples_.emplace_back();
  metric.label = scope_;
  if (!label.empty()) metric.label.push_back({std::string(label), std::string(label_value)});
  (kind_ == Kind::kCounter ? metric.counter.value : metric.gauge.value) = value;
}

void Samples::add(double value, const std::vector<Label>& labels) {
  auto& metric = samples_.emplace_back();
  metric.label = scope_;
  metric.label.insert(metric.label.end(), labels.begin(), labels.end());
  (kind_ == Kind::kCounter ? metric.counter.value : metric.gauge.value) = value;
}

void Samples::add(const std::optional<double>& value) {
  if (value) add(*value);
}

void Samples::add(const Histogram& histogram) {
  auto& metric = samples_.emplace_back();
  metric.label = scope_;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < histogram.edges.size(); ++i) {
    total += histogram.counts[i];
    metric.histogram.bucket.push_back({total, histogram.edges[i]});
  }
  metric.histogram.sample_count = total + histogram.counts.back();
  metric.histogram.sample_sum = histogram.sum;
}

void Samples::add_labelled(std::vector<Label> labels, double value) {
  auto& metric = samples_.emplace_back();
  metric.label = std::move(labels);
  (kind_ == Kind::kCounter ? metric.counter.value : metric.gauge.value) = value;
}

const std::vector<Row<LevelState>>& level_rows() {
  static const auto rows = make_level_rows();
  return rows;
}
const std::vector<Row<ProbeState>>& probe_rows() {
  static const auto rows = make_probe_rows();
  return rows;
}
const std::vector<Row<TargetState>>& target_rows() {
  static const auto rows = make_target_rows();
  return rows;
}

}  // namespace tokprobe::internal
