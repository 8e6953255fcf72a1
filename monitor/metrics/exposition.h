#pragma once

#include <memory>
#include <string>
#include <vector>

#include "monitor/metrics/self.h"
#include "monitor/metrics/state.h"

namespace tokprobe {

using TargetSnapshot = std::shared_ptr<const TargetState>;

/// The metrics page in Prometheus' text format 0.0.4. A pure function of what has been published,
/// so that the figures of a target always belong together. Values that are unknown are left out.
std::string metrics_page(const std::vector<TargetSnapshot>& targets, const SelfState& self);

/// One metric as documentation and tests see it.
struct MetricDescription {
  std::string name;    ///< with the prefix tokprobe_
  std::string type;    ///< counter, gauge or histogram
  std::string labels;  ///< comma-separated
  std::string help;
};
/// Every metric of the page, in its order.
std::vector<MetricDescription> all_metrics();
/// The same as a Markdown table.
std::string metrics_reference();

/// Series that one target, one {target, probe} and one {target, probe, concurrency} can give at
/// most, counted from a page on which everything is known. `objectives` on each level.
struct SeriesPerScope {
  int target = 0, probe = 0, level = 0;
};
SeriesPerScope series_per_scope(int objectives);

}  // namespace tokprobe
