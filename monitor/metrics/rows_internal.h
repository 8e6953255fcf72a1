#pragma once

#include <prometheus/metric_family.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/metrics/state.h"

namespace tokprobe::internal {

enum class Kind { kCounter, kGauge, kHistogram };

/// Collects the samples of one family. The labels of the scope are set once; a sample may add some.
class Samples {
 public:
  using Label = prometheus::ClientMetric::Label;
  explicit Samples(Kind kind) : kind_(kind) {}
  void set_scope(std::vector<Label> labels) { scope_ = std::move(labels); }
  void add(double value, std::string_view label = {}, std::string_view label_value = {});
  void add(double value, const std::vector<Label>& labels);
  void add(const std::optional<double>& value);
  void add(const Histogram& histogram);
  void add_labelled(std::vector<Label> labels, double value);
  std::vector<prometheus::ClientMetric> take() { return std::move(samples_); }
  std::size_t size() const { return samples_.size(); }

 private:
  Kind kind_;
  std::vector<Label> scope_;
  std::vector<prometheus::ClientMetric> samples_;
};

/// One metric that exists once a scope (a level, a probe, a target). `index` serves rows that are
/// made from another table, such as the measures.
template <class State>
struct Row {
  std::string name;  ///< without the prefix
  Kind kind;
  std::string extra_label;  ///< beyond the scope's
  std::string help;
  void (*emit)(const State&, std::size_t index, Samples&);
  std::size_t index = 0;
};

const std::vector<Row<LevelState>>& level_rows();
const std::vector<Row<ProbeState>>& probe_rows();
const std::vector<Row<TargetState>>& target_rows();

}  // namespace tokprobe::internal
