#include "monitor/cli/options.h"
namespace tokprobe { int run_docs(const DocsOptions&) { return 1; } }
