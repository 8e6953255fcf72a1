#include "monitor/cli/options.h"
namespace tokprobe { int run_check_config(const CheckConfigOptions&) { return 1; } }
