#include "monitor/judge/document.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "probes/base/version.h"

namespace tokprobe {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "tokprobe.judge/1";
// A week of one run a second; more was never written by us.
constexpr std::size_t kMostRows = 700'000;
constexpr double kLatest = 1e11;

// Five digits: more than any run repeats, and a third of the file.
Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == 0) return 0;
  const double unit = std::pow(10, std::floor(std::log10(std::fabs(value))) - 4);
  return std::stod(fmt::format("{:.5g}", std::round(value / unit) * unit));
}

float value_of(const Json& json) {
  if (json.is_null()) return kUnknown;
  const double value = json.get<double>();
  return std::fabs(value) < 1e30 ? static_cast<float>(value) : kUnknown;
}

std::string column(const char* prefix, std::size_t m) {
  return prefix + std::string(kJudged[m].label);
}

void add_figures(Json& out, const char* prefix, const Figures& figures) {
  for (std::size_t m = 0; m < figures.size(); ++m)
    out[column(prefix, m)].push_back(number(figures[m]));
}

Figures figures_of(const Json& in, const char* prefix, std::size_t row) {
  Figures figures = kNoFigures;
  for (std::size_t m = 0; m < figures.size(); ++m) {
    figures[m] = value_of(in.at(column(prefix, m)).at(row));
  }
  return figures;
}

template <class Rows, class Add>
Json columns(const Rows& rows, const Add& add) {
  Json out = Json::object();
  const double from = rows.empty() ? 0 : rows.front().time;
  out["from"] = from;
  out["time"] = Json::array();
  for (const auto& row : rows) {
    out["time"].push_back(std::round((row.time - from) * 1000) / 1000);
    add(out, row);
  }
  return out;
}

// Calls take(row, time) for each.
template <class Take>
void each_row(const Json& in, const Take& take) {
  const double from = in.at("from").get<double>();
  const Json& times = in.at("time");
  if (times.size() > kMostRows) throw std::length_error("too many rows");
  for (std::size_t row = 0; row < times.size(); ++row) {
    const double time = from + times.at(row).get<double>();
    if (!(std::fabs(time) < kLatest)) throw std::length_error("a time out of range");
    take(row, time);
  }
}

void add_sample(Json& out, const Sample& s) {
  out["running"].push_back(number(s.running));
  out["waiting"].push_back(number(s.waiting));
  add_figures(out, "", s.figures);
}

Sample sample_at(const Json& in, std::size_t row, double time) {
  return {time, value_of(in.at("running").at(row)), value_of(in.at("waiting").at(row)),
          figures_of(in, "", row)};
}

Json write_snapshot(const Snapshot& snapshot) {
  Json rows = Json::array();
  for (const Normal& n : snapshot.rows) {
    Json row{n.by_load, n.saturated, number(n.key)};
    for (const float f : n.figures) row.push_back(number(f));
    rows.push_back(std::move(row));
  }
  return {{"time", snapshot.time}, {"rows", std::move(rows)}};
}

Snapshot read_snapshot(const Json& in) {
  Snapshot snapshot{in.at("time").get<double>(), {}};
  const Json& rows = in.at("rows");
  if (rows.size() > kMostRows) throw std::length_error("too many rows");
  for (const Json& row : rows) {
    Normal normal{row.at(0).get<bool>(), row.at(1).get<bool>(), value_of(row.at(2)), kNoFigures};
    for (std::size_t m = 0; m < kJudged.size(); ++m) normal.figures[m] = value_of(row.at(3 + m));
    snapshot.rows.push_back(normal);
  }
  return snapshot;
}

Json write_memory(const SeriesKey& key, const JudgeMemory& m) {
  Json out{{"probe", key.first},
           {"concurrency", key.second},
           {"identity", m.identity},
           {"trial", m.trial},
           {"trial_since", m.trial_since}};
  out["reference"] = columns(m.reference.samples(), add_sample);
  out["waiting"] = columns(m.waiting, add_sample);
  out["verdicts"] = columns(m.verdicts, [](Json& json, const Verdict& v) {
    add_figures(json, "", v.ratio);
    add_figures(json, "month_", v.month);
  });
  out["snapshots"] = Json::array();
  for (const Snapshot& s : m.snapshots) out["snapshots"].push_back(write_snapshot(s));
  return out;
}

JudgeMemory read_memory(const Json& in, const JudgeTimes& times) {
  JudgeMemory m(times);
  m.identity = in.at("identity").get<std::string>();
  m.trial = in.at("trial").get<std::string>();
  m.trial_since = in.at("trial_since").get<double>();
  const Json& reference = in.at("reference");
  each_row(reference,
           [&](std::size_t row, double time) { m.reference.add(sample_at(reference, row, time)); });
  const Json& waiting = in.at("waiting");
  each_row(waiting, [&](std::size_t row, double time) {
    m.waiting.push_back(sample_at(waiting, row, time));
  });
  const Json& verdicts = in.at("verdicts");
  each_row(verdicts, [&](std::size_t row, double time) {
    m.verdicts.push_back(
        {time, figures_of(verdicts, "", row), figures_of(verdicts, "month_", row)});
  });
  for (const Json& s : in.at("snapshots")) m.snapshots.push_back(read_snapshot(s));
  return m;
}

}  // namespace

std::string write_judge(const std::string& target, const JudgeMemories& memories) {
  Json out{{"schema", kSchema}, {"method", kMethod}, {"target", target}};
  out["series"] = Json::array();
  for (const auto& [key, memory] : memories) out["series"].push_back(write_memory(key, memory));
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<JudgeMemories> read_judge(std::string_view text, const JudgeTimes& times) {
  JudgeMemories memories;
  try {
    const Json json = Json::parse(text);
    const auto schema = json.at("schema").get<std::string>();
    if (schema != kSchema) return Error{"its schema is " + schema + ", not " + kSchema};
    if (const int method = json.at("method").get<int>(); method != kMethod) {
      return Error{fmt::format("it was measured by method {}, this is method {}", method, kMethod)};
    }
    for (const Json& series : json.at("series")) {
      SeriesKey key{series.at("probe").get<std::string>(), series.at("concurrency").get<int>()};
      memories.insert_or_assign(std::move(key), read_memory(series, times));
    }
  } catch (const std::exception& e) {
    return Error{e.what()};
  }
  return memories;
}

}  // namespace tokprobe
