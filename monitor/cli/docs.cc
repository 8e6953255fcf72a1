#include <fmt/format.h>

#include "monitor/cli/options.h"
#include "monitor/config/describe.h"
#include "monitor/metrics/exposition.h"

namespace tokprobe {

int run_docs(const DocsOptions& options) {
  if (options.topic == "metrics") fmt::print("{}", metrics_reference());
  if (options.topic == "flags") fmt::print("{}", flags_reference());
  if (options.topic == "config") fmt::print("{}", config_reference_markdown());
  return 0;
}

}  // namespace tokprobe
