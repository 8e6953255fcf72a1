#include "monitor/cli/options.h"
namespace tokprobe { int run_serve(const ServeOptions&) { return 1; } }
