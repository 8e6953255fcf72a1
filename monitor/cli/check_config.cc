#include <fmt/format.h>

#include "monitor/cli/options.h"
#include "monitor/cli/output.h"
#include "monitor/config/cost.h"
#include "monitor/config/load.h"
#include "monitor/metrics/exposition.h"

namespace tokprobe {
namespace {

SeriesCounts count_series() {
  const SeriesPerScope none = series_per_scope(0);
  const SeriesPerScope one = series_per_scope(1);
  return {none.level, one.level - none.level, none.probe, one.probe - none.probe, none.target};
}

}  // namespace

int run_check_config(const CheckConfigOptions& options) {
  std::string result;
  bool good = true;
  for (const std::string& file : options.files) {
    const LoadResult loaded = load_config_file(file, process_environment());
    complain(loaded.report());
    if (!loaded) {
      good = false;
      continue;
    }
    result += fmt::format("{}: fine\n\n{}", file,
                          render_cost(estimate_cost(*loaded.config, count_series())));
  }
  return emit(result, good ? 0 : 1);
}

}  // namespace tokprobe
