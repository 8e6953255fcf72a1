#pragma once

#include <string>

#include "monitor/config/config.h"

namespace tokprobe {

/// The configuration as it is used, defaults included, as YAML that load_config reads again. Header
/// values are `xxx` and URLs are masked, so that it may be shown to anyone who may see the metrics.
std::string dump_config(const Config& config);

}  // namespace tokprobe
