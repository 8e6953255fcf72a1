#include "monitor/metrics/exposition.h"

#include <fmt/format.h>
#include <prometheus/text_serializer.h>

#include "monitor/metrics/rows_internal.h"
#include "probes/base/version.h"

namespace tokprobe {
namespace {

using internal::Kind;
using internal::Samples;
using Families = std::vector<prometheus::MetricFamily>;
using Labels = std::vector<Samples::Label>;

prometheus::MetricType type_of(Kind kind) {
  switch (kind) {
    case Kind::kCounter:
      return prometheus::MetricType::Counter;
    case Kind::kHistogram:
      return prometheus::MetricType::Histogram;
    case Kind::kGauge:
      break;
  }
  return prometheus::MetricType::Gauge;
}

std::string_view name_of(Kind kind) {
  return kind == Kind::kCounter ? "counter" : kind == Kind::kGauge ? "gauge" : "histogram";
}

void add_family(Families& out, std::string name, Kind kind, std::string help, Samples samples) {
  if (samples.size() == 0) return;
  out.push_back({std::move(name), std::move(help), type_of(kind), samples.take()});
}

Labels target_labels(const TargetState& t) {
  Labels labels{{"target", t.name}};
  for (const auto& [name, value] : t.series_labels) {
    if (!value.empty()) labels.push_back({name, value});
  }
  return labels;
}

Labels with(Labels labels, std::string name, std::string value) {
  labels.push_back({std::move(name), std::move(value)});
  return labels;
}

void add_levels(const std::vector<TargetSnapshot>& targets, Families& out) {
  for (const auto& row : internal::level_rows()) {
    Samples samples(row.kind);
    for (const auto& t : targets) {
      for (const ProbeState& p : t->probes) {
        for (const LevelState& l : p.levels) {
          samples.set_scope(with(with(target_labels(*t), "probe", p.name), "concurrency",
                                 std::to_string(l.concurrency)));
          row.emit(l, row.index, samples);
        }
      }
    }
    add_family(out, "tokprobe_" + row.name, row.kind, row.help, std::move(samples));
  }
}

void add_probes(const std::vector<TargetSnapshot>& targets, Families& out) {
  for (const auto& row : internal::probe_rows()) {
    Samples samples(row.kind);
    for (const auto& t : targets) {
      for (const ProbeState& p : t->probes) {
        samples.set_scope(with(target_labels(*t), "probe", p.name));
        row.emit(p, row.index, samples);
      }
    }
    add_family(out, "tokprobe_" + row.name, row.kind, row.help, std::move(samples));
  }
}

void add_targets(const std::vector<TargetSnapshot>& targets, Families& out) {
  for (const auto& row : internal::target_rows()) {
    Samples samples(row.kind);
    for (const auto& t : targets) {
      samples.set_scope(target_labels(*t));
      row.emit(*t, row.index, samples);
    }
    add_family(out, "tokprobe_" + row.name, row.kind, row.help, std::move(samples));
  }
}

// The agent's own metrics: full name, kind, labels, help, samples.
struct SelfRow {
  std::string_view name;
  Kind kind;
  std::string_view labels;
  std::string_view help;
  void (*emit)(const SelfState&, Samples&);
};

constexpr std::array<SelfRow, 13> kSelfRows{{
    {"tokprobe_build_info", Kind::kGauge, "version,revision,method",
     "The agent; method changes when the definition of a figure changes.",
     [](const SelfState&, Samples& s) {
       s.add_labelled({{"version", std::string(version())},
                       {"revision", std::string(revision())},
                       {"method", std::to_string(kMethod)}},
                      1);
     }},
    {"tokprobe_config_last_reload_successful", Kind::kGauge, "",
     "Whether the configuration was read without a problem the last time.",
     [](const SelfState& m, Samples& s) { s.add(m.reload_successful ? 1 : 0); }},
    {"tokprobe_config_last_reload_success_timestamp_seconds", Kind::kGauge, "",
     "When the configuration was last read without a problem.",
     [](const SelfState& m, Samples& s) { s.add(m.reload_timestamp); }},
    {"tokprobe_schedule_lag_seconds", Kind::kHistogram, "",
     "How long after their due time runs began.",
     [](const SelfState& m, Samples& s) { s.add(m.schedule_lag); }},
    {"tokprobe_client_lag_seconds", Kind::kHistogram, "",
     "Longest stretch between two waits of the event loop, a sample a run.",
     [](const SelfState& m, Samples& s) { s.add(m.client_lag); }},
    {"tokprobe_http_requests_total", Kind::kCounter, "handler,code",
     "Requests to the agent itself.",
     [](const SelfState& m, Samples& s) {
       for (const auto& [key, count] : m.http_requests) {
         s.add_labelled({{"handler", key.first}, {"code", std::to_string(key.second)}},
                        static_cast<double>(count));
       }
     }},
    {"process_cpu_seconds_total", Kind::kCounter, "", "User and system time used.",
     [](const SelfState& m, Samples& s) { s.add(m.process.cpu_seconds); }},
    {"process_resident_memory_bytes", Kind::kGauge, "", "Resident memory.",
     [](const SelfState& m, Samples& s) { s.add(m.process.resident_bytes); }},
    {"process_virtual_memory_bytes", Kind::kGauge, "", "Virtual memory.",
     [](const SelfState& m, Samples& s) { s.add(m.process.virtual_bytes); }},
    {"process_open_fds", Kind::kGauge, "", "Open file descriptors.",
     [](const SelfState& m, Samples& s) { s.add(m.process.open_fds); }},
    {"process_max_fds", Kind::kGauge, "", "Most file descriptors that may be open.",
     [](const SelfState& m, Samples& s) { s.add(m.process.max_fds); }},
    {"process_threads", Kind::kGauge, "", "Threads.",
     [](const SelfState& m, Samples& s) { s.add(m.process.threads); }},
    {"process_start_time_seconds", Kind::kGauge, "", "When the process began.",
     [](const SelfState& m, Samples& s) { s.add(m.process.start_time_seconds); }},
}};

void add_self(const SelfState& self, Families& out) {
  for (const SelfRow& row : kSelfRows) {
    Samples samples(row.kind);
    row.emit(self, samples);
    add_family(out, std::string(row.name), row.kind, std::string(row.help), std::move(samples));
  }
}

template <class Row>
void describe(const Row& row, std::string labels, std::vector<MetricDescription>& out) {
  if (!row.extra_label.empty()) labels += "," + row.extra_label;
  out.push_back(
      {"tokprobe_" + row.name, std::string(name_of(row.kind)), std::move(labels), row.help});
}

int series_of(const prometheus::MetricFamily& family) {
  int series = 0;
  for (const auto& m : family.metric) {
    series += family.type == prometheus::MetricType::Histogram
                  ? static_cast<int>(m.histogram.bucket.size()) + 3
                  : 1;
  }
  return series;
}

int series_of(const Families& families) {
  int sum = 0;
  for (const auto& family : families) sum += series_of(family);
  return sum;
}

}  // namespace

std::string metrics_page(const std::vector<TargetSnapshot>& targets, const SelfState& self) {
  Families families;
  add_levels(targets, families);
  add_probes(targets, families);
  add_targets(targets, families);
  add_self(self, families);
  return prometheus::TextSerializer().Serialize(families);
}

std::vector<MetricDescription> all_metrics() {
  std::vector<MetricDescription> out;
  for (const auto& row : internal::level_rows()) describe(row, "target,probe,concurrency", out);
  for (const auto& row : internal::probe_rows()) describe(row, "target,probe", out);
  for (const auto& row : internal::target_rows()) describe(row, "target", out);
  for (const SelfRow& row : kSelfRows) {
    out.push_back({std::string(row.name), std::string(name_of(row.kind)), std::string(row.labels),
                   std::string(row.help)});
  }
  return out;
}

std::string metrics_reference() {
  std::string out =
      "# Metrics\n\nGenerated by `tokprobe docs metrics`. The labels in `series_labels` of the "
      "configuration come on "
      "top\nwherever there is a `target`. Values that are unknown are absent, never 0.\n\n"
      "| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n";
  for (const MetricDescription& m : all_metrics()) {
    out += fmt::format("| `{}` | {} | {} | {} |\n", m.name, m.type, m.labels, m.help);
  }
  const auto values = [&out](std::string_view title) { out += fmt::format("\n## {}\n\n", title); };
  values("Values of `reason`");
  for (const ReasonRow& r : kReasons) {
    if (!is_failure(r.reason)) continue;
    out += fmt::format("- `{}`: {}{}\n", r.label, r.meaning,
                       r.server_fault ? "" : " (not the server's fault)");
  }
  values("Values of `warning`");
  for (const WarningRow& w : kWarnings) out += fmt::format("- `{}`: {}\n", w.label, w.meaning);
  return out;
}

SeriesPerScope series_per_scope(int objectives) {
  ProbeConfig probe;
  probe.name = "p";
  probe.objectives.resize(static_cast<std::size_t>(objectives));
  Config config;
  config.targets.push_back({"t", "http://h", "auto", "auto", "", "", false, "", {}, {}});
  config.probes.push_back(probe);
  auto state = std::make_shared<TargetState>(initial_state(config, config.targets.front()));
  state->load = {1, 1, 1};
  LevelState& level = state->probes.front().levels.front();
  for (auto& value : level.last_run) value = 1;
  for (auto& value : level.last_phases) value = 1;
  level.success = true;
  level.judgement = Judgement{{1, 1, 1}, {Figures{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, 1};
  level.last_run_timestamp = level.last_success_timestamp = 1;
  const std::vector<TargetSnapshot> targets{state};
  SeriesPerScope counts;
  Families families;
  add_levels(targets, families);
  counts.level = series_of(families);
  families.clear();
  add_probes(targets, families);
  counts.probe = series_of(families);
  families.clear();
  add_targets(targets, families);
  counts.target = series_of(families);
  return counts;
}

}  // namespace tokprobe
