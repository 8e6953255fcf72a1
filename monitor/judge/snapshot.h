#pragma once

#include <vector>

#include "monitor/judge/reference.h"

namespace tokprobe {

/// What was normal at one load; without load figures, at one hour of a working day or weekend.
struct Normal {
  bool by_load = true;
  bool saturated = false;
  float key = 0;  ///< running requests, or hour of the day (24 more at the weekend)
  Figures figures = kNoFigures;
};

/// The reference as it was at a time: a few dozen rows in place of thousands of runs.
struct Snapshot {
  double time = 0;
  std::vector<Normal> rows;

  /// The nearest row's figures; NaN where there is none.
  Figures at(const LoadAt& load) const;
};

Snapshot take_snapshot(const Reference& reference, double time);

}  // namespace tokprobe
