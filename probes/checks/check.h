#pragma once

#include <string>
#include <string_view>

namespace tokprobe {

/// What a text check found. An erroring check is never silently green.
struct CheckResult {
  enum class Outcome { kPass, kFail, kSkip, kError };
  std::string name;
  Outcome outcome = Outcome::kPass;
  double score = 1;  ///< 0 worst, 1 best
  std::string detail;
};
std::string_view label(CheckResult::Outcome outcome);

}  // namespace tokprobe
