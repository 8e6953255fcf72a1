#pragma once

#include <string_view>

namespace tokprobe {

std::string_view version();   ///< such as "0.1.0"
std::string_view revision();  ///< git revision, or "unknown"

/// Changes whenever a definition of a figure changes: figures of different methods are not to be
/// compared.
inline constexpr int kMethod = 1;

}  // namespace tokprobe
