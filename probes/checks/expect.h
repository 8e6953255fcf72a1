#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "probes/base/result.h"
#include "probes/checks/check.h"

namespace tokprobe {

/// The check `expect`: passes when the text holds a match of a user's expression. RE2 syntax; time
/// is linear in the text whatever the expression.
class ExpectCheck {
 public:
  static Result<ExpectCheck> compile(const std::string& expression);
  CheckResult run(std::string_view text) const;

 private:
  struct Compiled;
  explicit ExpectCheck(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace tokprobe
