#include "probes/checks/expect.h"

#include <gmock/gmock.h>

namespace tokprobe {
namespace {

using testing::HasSubstr;

CheckResult run(const std::string& expression, std::string_view text) {
  auto check = ExpectCheck::compile(expression);
  EXPECT_TRUE(check) << expression;
  return check->run(text);
}

TEST(ExpectCheck, PassesWhenTheTextHoldsAMatch) {
  const CheckResult result = run("[Pp]aris", "It is Paris, of course.");
  EXPECT_EQ(result.name, "expect");
  EXPECT_EQ(result.outcome, CheckResult::Outcome::kPass);
  EXPECT_EQ(result.score, 1);
  EXPECT_EQ(result.detail, "");
}

TEST(ExpectCheck, FailsWhenItDoesNot) {
  const CheckResult result = run("^Paris$", "It is Paris.");
  EXPECT_EQ(result.outcome, CheckResult::Outcome::kFail);
  EXPECT_EQ(result.score, 0);
  EXPECT_EQ(result.detail, "the text does not match");
}

TEST(ExpectCheck, FailsOnNoText) {
  EXPECT_EQ(run("a", "").outcome, CheckResult::Outcome::kFail);
  EXPECT_EQ(run("^$", "").outcome, CheckResult::Outcome::kPass);
}

TEST(ExpectCheck, RefusesABadExpression) {
  const auto check = ExpectCheck::compile("a(b\x1B");
  ASSERT_FALSE(check);
  EXPECT_THAT(check.error(), HasSubstr("not a valid expression: "));
  EXPECT_EQ(check.error().find('\x1B'), std::string::npos);
}

TEST(ExpectCheck, TakesLinearTimeOverAnyExpression) {
  // Years with a matcher that goes back and forth.
  EXPECT_EQ(run("(a+)+$", std::string(100'000, 'a') + "b").outcome, CheckResult::Outcome::kFail);
}

TEST(ExpectCheck, MayBeCopied) {
  const ExpectCheck copy = *ExpectCheck::compile("x");
  EXPECT_EQ(copy.run("x").outcome, CheckResult::Outcome::kPass);
}

}  // namespace
}  // namespace tokprobe
