#include "monitor/judge/sample.h"

#include <algorithm>

#include "probes/base/clock.h"
#include "probes/measures.h"

namespace tokprobe {
namespace {

bool warned(const ProbeResult& r, Warning warning) {
  return r.warnings.test(static_cast<std::size_t>(warning));
}

bool comparable(const ProbeResult& r) {
  return !warned(r, Warning::kClientLimited) && !warned(r, Warning::kShortOutput);
}

float known(const std::optional<double>& value) {
  return value ? static_cast<float>(*value) : kUnknown;
}

}  // namespace

std::optional<Sample> sample_of(const RunResult& run) {
  if (!all_ok(run) || !std::all_of(run.requests.begin(), run.requests.end(), comparable)) return {};
  Sample sample{unix_seconds(run.started), known(run.load.running), known(run.load.waiting),
                kNoFigures};
  for (std::size_t m = 0; m < kJudged.size(); ++m) {
    sample.figures[m] = known(measure(kJudged[m].measure).of_run(run));
  }
  return sample;
}

}  // namespace tokprobe
