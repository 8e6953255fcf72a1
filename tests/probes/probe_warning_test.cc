#include <gmock/gmock.h>

#include "tests/probes/harness.h"

namespace tokprobe {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

Script two_tokens(const std::string& end) {
  return stream({{100ms, text_event("a")}, {140ms, text_event("b")}, {145ms, end}});
}

std::vector<std::string_view> warnings(const Script& script, Asked asked = {}) {
  const ProbeResult r = play(script, asked);
  EXPECT_TRUE(r.ok()) << r.detail;
  return warnings_of(r);
}

TEST(ProbeWarning, IsNoneForAHealthyAnswer) {
  EXPECT_THAT(warnings(two_tokens(ending(9, 2))), IsEmpty());
}

TEST(ProbeWarning, SaysThatNothingWasStreamed) {
  EXPECT_THAT(warnings(response(200, "application/json",
                                R"({"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}],
                                    "usage":{"prompt_tokens":3,"completion_tokens":2}})")),
              ElementsAre("not_streamed"));
}

TEST(ProbeWarning, SaysThatTheTextCameInABurst) {
  EXPECT_THAT(warnings(stream({{100ms, text_event("a") + text_event("b") + ending(9, 2)}})),
              ElementsAre("burst"));
}

TEST(ProbeWarning, SaysThatTheEndMarkIsMissing) {
  EXPECT_THAT(warnings(two_tokens(finish_event("stop") + usage_event(9, 2))),
              ElementsAre("missing_done"));
}

TEST(ProbeWarning, SaysThatTheFinishReasonIsMissing) {
  EXPECT_THAT(warnings(two_tokens(usage_event(9, 2) + std::string(kDone))),
              ElementsAre("missing_finish_reason"));
}

TEST(ProbeWarning, SaysThatOnlyReasoningCame) {
  const auto thought = [](const char* delta) {
    return std::string(R"(data: {"choices":[{"delta":)") + delta + "}]}\n\n";
  };
  const std::string reasoning = thought(R"({"reasoning":"r"})");
  EXPECT_THAT(warnings(stream({{100ms, reasoning}, {140ms, reasoning + ending(9, 2)}})),
              ElementsAre("no_answer"));
  const std::string tool = thought(R"({"tool_calls":[{"function":{"arguments":"{}"}}]})");
  EXPECT_THAT(warnings(stream({{100ms, reasoning}, {140ms, tool + ending(9, 2)}})), IsEmpty());
  EXPECT_THAT(warnings(stream({{100ms, reasoning}, {140ms, text_event("a") + ending(9, 2)}})),
              IsEmpty());
}

TEST(ProbeWarning, SaysThatTheOutputIsShort) {
  const auto with = [](int asked, int came) {
    return warnings(two_tokens(ending(9, came)), {.output_tokens = asked});
  };
  EXPECT_THAT(with(256, 127), ElementsAre("short_output"));
  EXPECT_THAT(with(256, 128), IsEmpty());
  EXPECT_THAT(with(257, 128), ElementsAre("short_output"));
  EXPECT_THAT(with(255, 2), IsEmpty());
  EXPECT_THAT(with(500, 3), ElementsAre("short_output"));
}

TEST(ProbeWarning, SaysThatTheOutputIsLong) {
  const auto with = [](int asked, int came) {
    return warnings(two_tokens(ending(9, came)), {.output_tokens = asked});
  };
  EXPECT_THAT(with(16, 17), ElementsAre("long_output"));
  EXPECT_THAT(with(16, 16), IsEmpty());
  EXPECT_THAT(with(0, 17), IsEmpty());  // nothing was asked
}

TEST(ProbeWarning, SaysThatTheFiguresAreMissing) {
  EXPECT_THAT(warnings(two_tokens(finish_event("stop") + std::string(kDone))),
              ElementsAre("usage_missing"));
  EXPECT_THAT(warnings(two_tokens(ending(9, 0))), ElementsAre("usage_missing"));
}

TEST(ProbeWarning, SaysThatMoreEventsCameThanTokens) {
  EXPECT_THAT(warnings(two_tokens(ending(9, 1))), ElementsAre("usage_mismatch"));
  EXPECT_THAT(warnings(two_tokens(ending(9, 3))), IsEmpty());  // several tokens an event
}

TEST(ProbeWarning, SaysThatThePromptHasAnotherLength) {
  const auto with = [](int asked, int counted) {
    return warnings(two_tokens(ending(counted, 2)), {.input_tokens = asked});
  };
  EXPECT_THAT(with(1000, 1101), ElementsAre("prompt_length"));
  EXPECT_THAT(with(1000, 1100), IsEmpty());
  EXPECT_THAT(with(1000, 1000), IsEmpty());
  EXPECT_THAT(with(1000, 900), IsEmpty());
  EXPECT_THAT(with(1000, 899), ElementsAre("prompt_length"));
  EXPECT_THAT(with(0, 5000), IsEmpty());  // no particular length was asked
  EXPECT_THAT(with(1000, 0), ElementsAre("prompt_length"));
  EXPECT_THAT(
      warnings(two_tokens(finish_event("stop") + std::string(kDone)), {.input_tokens = 1000}),
      ElementsAre("usage_missing"));
}

TEST(ProbeWarning, SaysThatThePromptWasCached) {
  const auto with = [](int cached) {
    return warnings(two_tokens(finish_event("stop") +
                               R"(data: {"usage":{"prompt_tokens":9,"completion_tokens":2,)" +
                               R"("prompt_tokens_details":{"cached_tokens":)" +
                               std::to_string(cached) + "}}}\n\n" + std::string(kDone)));
  };
  EXPECT_THAT(with(1), ElementsAre("prompt_cached"));
  EXPECT_THAT(with(0), IsEmpty());
}

TEST(ProbeWarning, MayComeWithOthers) {
  EXPECT_THAT(warnings(stream({{100ms, text_event("a") + text_event("b") + std::string(kDone)}})),
              ElementsAre("burst", "missing_finish_reason", "usage_missing"));
}

TEST(ProbeWarning, IsNoneForAFailure) {
  const ProbeResult r = play(stream({{100ms, text_event("a") + text_event("b")}}));
  EXPECT_EQ(r.reason, Reason::kTruncated);
  EXPECT_THAT(warnings_of(r), IsEmpty());
}

}  // namespace
}  // namespace tokprobe
