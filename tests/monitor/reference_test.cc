#include <gmock/gmock.h>

#include "monitor/metrics/exposition.h"
#include "tests/monitor/golden.h"

namespace tokprobe {
namespace {

TEST(MetricsReference, IsTheFileBesideTheDashboards) {
  testing_support::expect_same_as_file(
      std::filesystem::path(TOKPROBE_SOURCE) / "dashboards" / "METRICS.md", metrics_reference());
}

}  // namespace
}  // namespace tokprobe
