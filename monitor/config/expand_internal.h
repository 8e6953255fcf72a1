#pragma once

#include <string>
#include <string_view>

#include "monitor/config/load.h"
#include "probes/base/result.h"

namespace tokprobe::config_detail {

/// Replaces `${NAME}` by the value of the variable and `$$` by `$`; any other `$` stays. What comes
/// in is not looked at again: neither for `${` nor as YAML. Fails when a variable is not set, holds
/// control characters or more than 4096 bytes, and on a `${` that is no name in braces. Messages
/// hold names of variables, never values.
Result<std::string> expand(std::string_view text, const Environment& environment);

}  // namespace tokprobe::config_detail
