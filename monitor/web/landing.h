#pragma once

#include <string>
#include <vector>

#include "monitor/metrics/exposition.h"

namespace tokprobe {

/// The page `/`: what this is, links, and a line for each target and level with its last figures.
/// Foreign text is escaped.
std::string landing_page(const std::vector<TargetSnapshot>& targets);

/// Escapes text for HTML content and double-quoted attributes.
std::string escape_html(std::string_view text);

}  // namespace tokprobe
