#include "monitor/cli/options.h"
#include "monitor/cli/output.h"
#include "monitor/config/describe.h"
#include "monitor/metrics/exposition.h"

namespace tokprobe {

int run_docs(const DocsOptions& options) {
  if (options.topic == "metrics") return emit(metrics_reference(), 0);
  if (options.topic == "flags") return emit(flags_reference(), 0);
  return emit(config_reference_markdown(), 0);
}

}  // namespace tokprobe
