#include "probes/stream/timeline.h"

#include <gmock/gmock.h>

namespace tokprobe {
namespace {

using namespace std::chrono_literals;
using testing::Optional;
using Events = std::vector<StreamEvent>;

const Time kStart{1h};

Events answer(std::string_view text = "x") { return {TokenDelta{Channel::kAnswer, text}}; }
Events reasoning() { return {TokenDelta{Channel::kReasoning, "r"}}; }
Usage output(std::int64_t tokens) {
  Usage usage;
  usage.output = tokens;
  return usage;
}

Timeline at_times(const std::vector<Duration>& times) {
  Timeline line;
  for (const Duration t : times) line.add(answer(), kStart + t);
  return line;
}

TEST(Timeline, OfNothingHasNoTimes) {
  const Timing t = Timeline().timing(kStart);
  EXPECT_EQ(t.ttft, std::nullopt);
  EXPECT_EQ(t.first_answer, std::nullopt);
  EXPECT_EQ(t.last_token, std::nullopt);
  EXPECT_EQ(t.gap_max, std::nullopt);
  EXPECT_EQ(t.tpot, std::nullopt);
  EXPECT_EQ(t.output_tokens, 0);
  EXPECT_EQ(t.token_source, TokenSource::kNone);
  EXPECT_FALSE(t.burst);
}

TEST(Timeline, MeasuresFromTheStart) {
  const Timing t = at_times({120ms, 160ms, 260ms, 290ms}).timing(kStart);
  EXPECT_EQ(t.ttft, 120ms);
  EXPECT_EQ(t.first_answer, 120ms);
  EXPECT_EQ(t.last_token, 290ms);
  EXPECT_EQ(t.gap_max, 100ms);
  EXPECT_EQ(t.output_tokens, 4);
  EXPECT_EQ(t.token_source, TokenSource::kEvents);
  EXPECT_THAT(t.tpot, Optional(Duration(170ms) / 3));
}

TEST(Timeline, TakesTheFirstTextOfAnyChannelAsFirstToken) {
  Timeline line;
  line.add({TokenDelta{Channel::kTool, "{"}}, kStart + 10ms);
  line.add(reasoning(), kStart + 30ms);
  line.add(answer(), kStart + 70ms);
  const Timing t = line.timing(kStart);
  EXPECT_EQ(t.ttft, 10ms);
  EXPECT_EQ(t.first_answer, 70ms);
  EXPECT_EQ(line.tool_arguments(), "{");
  EXPECT_EQ(line.reasoning_text(), "r");
  EXPECT_EQ(line.text(), "x");
}

TEST(Timeline, HasNoFirstAnswerWithoutAnswer) {
  Timeline line;
  line.add(reasoning(), kStart + 30ms);
  EXPECT_EQ(line.timing(kStart).first_answer, std::nullopt);
}

TEST(Timeline, DoesNotTakeOtherEventsForTokens) {
  Timeline line;
  line.add({}, kStart + 1ms);
  line.add({TokenDelta{Channel::kAnswer, ""}}, kStart + 2ms);
  line.add({output(0), Finish{"stop"}, Terminal{}, ServerError{"x"}, BadFrame{"y"}}, kStart + 3ms);
  EXPECT_FALSE(line.any_text());
  EXPECT_EQ(line.timing(kStart).ttft, std::nullopt);
}

TEST(Timeline, TakesAFrameForOneTextEvent) {
  Timeline line;
  line.add({TokenDelta{Channel::kReasoning, "a"}, TokenDelta{Channel::kAnswer, "b"}}, kStart + 5ms);
  EXPECT_EQ(line.arrivals().size(), 1U);
  EXPECT_EQ(line.timing(kStart).output_tokens, 1);
}

TEST(Timeline, DividesByTheServersTokensAndNotByEvents) {
  Timeline line = at_times({100ms, 200ms, 300ms});
  line.add({output(11)}, kStart + 310ms);
  const Timing t = line.timing(kStart);
  EXPECT_EQ(t.output_tokens, 11);
  EXPECT_EQ(t.token_source, TokenSource::kUsage);
  EXPECT_EQ(t.tpot, 20ms);  // 200 ms over 11 - 1
}

TEST(Timeline, SubtractsTheTokensOfTheFirstEventWhenTheyAreKnown) {
  Timeline line;
  line.add({output(4), TokenDelta{Channel::kAnswer, "abcd"}}, kStart + 100ms);
  line.add({output(6), TokenDelta{Channel::kAnswer, "ef"}}, kStart + 160ms);
  line.add({output(10), TokenDelta{Channel::kAnswer, "ghij"}}, kStart + 220ms);
  EXPECT_EQ(line.timing(kStart).tpot, 20ms);  // 120 ms over 10 - 4
}

TEST(Timeline, DoesNotTakeTheTotalOfAFinishedAnswerForItsFirstEvent) {
  Timeline line;
  line.add({output(5), TokenDelta{Channel::kAnswer, "a"}, Finish{"stop"}}, kStart + 100ms);
  line.add(answer(), kStart + 180ms);
  EXPECT_EQ(line.timing(kStart).tpot, 20ms);  // 80 ms over 5 - 1
}

TEST(Timeline, DoesNotTakeALaterTotalForTheFirstEvent) {
  Timeline line;
  line.add(answer(), kStart + 100ms);
  line.add({output(5), TokenDelta{Channel::kAnswer, "b"}}, kStart + 180ms);
  EXPECT_EQ(line.timing(kStart).tpot, 20ms);
}

TEST(Timeline, HasNoTimePerTokenBelowTwoTokens) {
  EXPECT_EQ(at_times({100ms}).timing(kStart).tpot, std::nullopt);
  Timeline line = at_times({100ms, 200ms});
  line.add({output(1)}, kStart + 210ms);
  EXPECT_EQ(line.timing(kStart).tpot, std::nullopt);
}

TEST(Timeline, HasNoTimePerTokenWhenTheFirstEventHeldThemAll) {
  Timeline line;
  line.add({output(2), TokenDelta{Channel::kAnswer, "ab"}}, kStart + 100ms);
  line.add(answer(), kStart + 200ms);
  EXPECT_EQ(line.timing(kStart).tpot, std::nullopt);
}

TEST(Timeline, HasNoTimePerTokenWithinOneInstant) {
  EXPECT_EQ(kOneInstant, 5ms);
  EXPECT_EQ(at_times({100ms, 105ms}).timing(kStart).tpot, std::nullopt);
  EXPECT_EQ(at_times({100ms, 105ms + 1ns}).timing(kStart).tpot, 5ms + 1ns);
}

TEST(Timeline, CallsTextOfOneInstantABurst) {
  EXPECT_TRUE(at_times({100ms, 105ms}).timing(kStart).burst);
  EXPECT_FALSE(at_times({100ms, 105ms + 1ns}).timing(kStart).burst);
  EXPECT_FALSE(at_times({100ms}).timing(kStart).burst);  // one token is no burst
  Timeline one_event = at_times({100ms});
  one_event.add({output(2)}, kStart + 100ms);
  EXPECT_TRUE(one_event.timing(kStart).burst);
}

TEST(Timeline, CallsMostlyTinyGapsABurst) {
  EXPECT_EQ(kNoGap, 200us);
  // Two of four gaps are tiny: half is not most.
  EXPECT_FALSE(at_times({0ms, 100us, 50ms, 50ms + 100us, 90ms}).timing(kStart).burst);
  // Two of three.
  EXPECT_TRUE(at_times({0ms, 100us, 50ms, 50ms + 100us}).timing(kStart).burst);
  // A gap of exactly the bound is not tiny.
  EXPECT_FALSE(at_times({0ms, 200us, 50ms, 50ms + 200us}).timing(kStart).burst);
  EXPECT_TRUE(at_times({0ms, 200us - 1ns, 50ms, 50ms + 199us}).timing(kStart).burst);
}

TEST(Timeline, FindsTheLongestGapWhereverItStands) {
  EXPECT_EQ(at_times({10ms}).timing(kStart).gap_max, std::nullopt);
  EXPECT_EQ(at_times({10ms, 10ms}).timing(kStart).gap_max, 0ms);
  EXPECT_EQ(at_times({10ms, 90ms, 95ms}).timing(kStart).gap_max, 80ms);
  EXPECT_EQ(at_times({10ms, 15ms, 95ms}).timing(kStart).gap_max, 80ms);
}

TEST(Timeline, KeepsTheLastFigureThatIsNotZero) {
  Timeline line;
  Usage first;
  first.prompt = 7;
  first.output = 0;
  line.add({first}, kStart);
  EXPECT_EQ(line.usage().output, 0);
  line.add({output(3)}, kStart);
  line.add({output(9)}, kStart);
  Usage zeros;
  zeros.prompt = zeros.output = zeros.cached = zeros.reasoning = 0;
  line.add({zeros}, kStart);
  line.add({Usage{}}, kStart);
  EXPECT_EQ(line.usage().prompt, 7);
  EXPECT_EQ(line.usage().output, 9);
  EXPECT_EQ(line.usage().cached, 0);
  EXPECT_EQ(line.usage().reasoning, 0);
}

TEST(Timeline, CountsEventsWhenTheServerSaysZero) {
  Timeline line = at_times({1ms, 40ms});
  line.add({output(0)}, kStart + 50ms);
  const Timing t = line.timing(kStart);
  EXPECT_EQ(t.output_tokens, 2);
  EXPECT_EQ(t.token_source, TokenSource::kEvents);
}

TEST(Timeline, NamesTheSourceOfACount) {
  Usage native = output(3);
  native.native = true;
  Timeline line;
  line.add({native}, kStart);
  EXPECT_EQ(line.timing(kStart).token_source, TokenSource::kNative);
  EXPECT_EQ(label(TokenSource::kUsage), "usage");
  EXPECT_EQ(label(TokenSource::kNative), "native");
  EXPECT_EQ(label(TokenSource::kEvents), "events");
  EXPECT_EQ(label(TokenSource::kNone), "none");
}

TEST(Timeline, KeepsTheLastFinishReason) {
  Timeline line;
  EXPECT_EQ(line.finish_reason(), std::nullopt);
  line.add({Finish{""}}, kStart);
  EXPECT_EQ(line.finish_reason(), std::nullopt);
  line.add({Finish{"stop"}}, kStart);
  line.add({Finish{"length"}}, kStart);
  line.add({Finish{""}}, kStart);
  EXPECT_THAT(line.finish_reason(), Optional(std::string("length")));
  EXPECT_FALSE(line.terminal());
  line.add({Terminal{}}, kStart);
  EXPECT_TRUE(line.terminal());
}

}  // namespace
}  // namespace tokprobe
