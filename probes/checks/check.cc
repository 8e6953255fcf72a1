#include "probes/checks/check.h"

#include <array>

namespace tokprobe {

std::string_view label(CheckResult::Outcome outcome) {
  constexpr std::array<std::string_view, 4> kLabels{"pass", "fail", "skip", "error"};
  return kLabels[static_cast<std::size_t>(outcome)];
}

}  // namespace tokprobe
