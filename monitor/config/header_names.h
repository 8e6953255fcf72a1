#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tokprobe {

/// Why a header of this name may not be given by a user: it is no header name, or tokprobe and its
/// HTTP library write it themselves. Nothing when it may.
std::optional<std::string> header_problem(std::string_view name);

}  // namespace tokprobe
