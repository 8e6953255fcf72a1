#include "probes/checks/expect.h"

#include <re2/re2.h>

#include "probes/base/text.h"

namespace tokprobe {

struct ExpectCheck::Compiled {
  explicit Compiled(const std::string& expression) : re(expression, RE2::Quiet) {}
  RE2 re;
};

Result<ExpectCheck> ExpectCheck::compile(const std::string& expression) {
  auto compiled = std::make_shared<const Compiled>(expression);
  if (!compiled->re.ok())
    return Error{"not a valid expression: " + printable(compiled->re.error())};
  return ExpectCheck(std::move(compiled));
}

CheckResult ExpectCheck::run(std::string_view text) const {
  CheckResult result;
  result.name = "expect";
  if (RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled_->re)) return result;
  result.outcome = CheckResult::Outcome::kFail;
  result.score = 0;
  result.detail = "the text does not match";
  return result;
}

}  // namespace tokprobe
