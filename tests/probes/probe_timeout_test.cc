#include <gmock/gmock.h>

#include "tests/probes/harness.h"

namespace tokprobe {
namespace {

using namespace std::chrono_literals;

constexpr Timeouts kTimeouts{1s, 2s, 600ms, 5s};

Script hanging(std::vector<Script::Read> reads) {
  Script script = stream(std::move(reads));
  script.hangs = true;
  return script;
}

// Not done a nanosecond before `at`, done with this reason at it.
void expect_ends_at(Script script, Duration at, Reason reason, Timeouts timeouts = kTimeouts) {
  Player player(std::move(script), {.timeouts = timeouts});
  for (Duration t{0}; t < at - 10ms; t += 10ms) player.play_until(t);
  player.play_until(at - 1ns);
  EXPECT_FALSE(player.probe().done()) << label(reason);
  player.play_until(at);
  ASSERT_TRUE(player.probe().done()) << label(reason);
  const ProbeResult r = player.probe().take();
  EXPECT_EQ(r.reason, reason);
  EXPECT_EQ(r.detail, row(reason).meaning);
  EXPECT_EQ(r.end, player.start() + at);
}

TEST(ProbeTimeout, OfTheConnectionCountsFromTheBeginning) {
  Script script = hanging({});
  script.connect = 1h;  // the name resolves, the port does not answer
  expect_ends_at(script, 1s, Reason::kTimeoutConnect);
}

TEST(ProbeTimeout, OfTheConnectionIsDnsWhenTheNameDidNotResolve) {
  Script script = hanging({});
  script.connects = false;
  expect_ends_at(script, 1s, Reason::kDns);
}

TEST(ProbeTimeout, OfTheConnectionIncludesTls) {
  Script script = hanging({});
  script.dns = 300ms;
  script.connect = 300ms;
  script.tls = 400ms + 1ns;
  expect_ends_at(script, 1s, Reason::kTimeoutConnect);
  script.tls = 400ms - 1ns;
  expect_ends_at(script, 3s - 1ns, Reason::kTimeoutFirstToken);
}

TEST(ProbeTimeout, OfTheFirstTokenCountsFromSending) {
  Script silent = hanging({});
  silent.head.reset();
  expect_ends_at(silent, 2s, Reason::kTimeoutFirstToken);
  Script script = hanging({});
  script.connect = 250ms;
  expect_ends_at(script, 2250ms, Reason::kTimeoutFirstToken);
}

TEST(ProbeTimeout, OfTheFirstTokenIsResetByNothingButText) {
  std::vector<Script::Read> reads;
  for (Duration t = 100ms; t < 3s; t += 100ms) {
    reads.push_back({t, ": keep-alive\n\ndata:\n\n" + text_event("") + usage_event(9, 0)});
  }
  expect_ends_at(hanging(reads), 2s, Reason::kTimeoutFirstToken);
}

TEST(ProbeTimeout, OfAStallDoesNotRunBeforeTheFirstToken) {
  // 1.9 s of silence, three times the stall time-out.
  Script script = stream({{1900ms, text_event("a")}, {2400ms, ending(9, 1)}});
  EXPECT_TRUE(play(script, {.timeouts = kTimeouts}).ok());
}

TEST(ProbeTimeout, OfAStallCountsFromTheLastEvent) {
  expect_ends_at(hanging({{100ms, text_event("a")}}), 700ms, Reason::kTimeoutStall);
  expect_ends_at(hanging({{100ms, text_event("a")}, {650ms, text_event("b")}}), 1250ms,
                 Reason::kTimeoutStall);
}

TEST(ProbeTimeout, OfAStallIsResetByAnEventWithoutText) {
  expect_ends_at(hanging({{100ms, text_event("a")}, {500ms, usage_event(9, 1)}}), 1100ms,
                 Reason::kTimeoutStall);
  expect_ends_at(hanging({{100ms, text_event("a")}, {500ms, finish_event("stop")}}), 1100ms,
                 Reason::kTimeoutStall);
}

TEST(ProbeTimeout, OfAStallIsNotResetByCommentsOrHalfEvents) {
  std::vector<Script::Read> reads{{100ms, text_event("a")}};
  for (Duration t = 200ms; t < 2s; t += 100ms) reads.push_back({t, ": keep-alive\n\n"});
  expect_ends_at(hanging(reads), 700ms, Reason::kTimeoutStall);
  expect_ends_at(hanging({{100ms, text_event("a")}, {600ms, "data: {\"choi"}}), 700ms,
                 Reason::kTimeoutStall);
}

TEST(ProbeTimeout, OfTheWholeCountsFromTheBeginningWhateverComes) {
  std::vector<Script::Read> reads;
  for (Duration t = 200ms; t < 9s; t += 200ms) reads.push_back({t, text_event("a")});
  Script script = hanging(reads);
  script.connect = 300ms;
  expect_ends_at(script, 5s, Reason::kTimeoutTotal);
}

TEST(ProbeTimeout, OfTheWholeWinsOverTheOthersAtTheSameInstant) {
  expect_ends_at(hanging({}), 2s, Reason::kTimeoutTotal, {1s, 2s, 600ms, 2s});
  expect_ends_at(hanging({{100ms, text_event("a")}}), 700ms, Reason::kTimeoutTotal,
                 {1s, 2s, 600ms, 700ms});
}

TEST(ProbeTimeout, DoesNotEndWhatComesInTime) {
  Script script = stream({{2s - 1ns, text_event("a")},
                          {2s + 600ms - 2ns, text_event("b")},
                          {2s + 601ms, ending(9, 2)}});
  EXPECT_TRUE(play(script, {.timeouts = kTimeouts}).ok());
}

TEST(ProbeTimeout, KeepsWhatHadCome) {
  const ProbeResult r =
      play(hanging({{100ms, text_event("a")}, {140ms, text_event("b") + usage_event(9, 2)}}),
           {.timeouts = kTimeouts});
  EXPECT_EQ(r.reason, Reason::kTimeoutStall);
  EXPECT_EQ(r.text, "ab");
  EXPECT_EQ(r.timing.ttft, 100ms);
  EXPECT_EQ(r.timing.last_token, 140ms);
  EXPECT_EQ(r.timing.output_tokens, 2);
  EXPECT_EQ(r.duration, 740ms);
  EXPECT_EQ(sum_of(r.phases), *r.duration);
  EXPECT_TRUE(warnings_of(r).empty());
}

TEST(ProbeTimeout, OfADocumentIsThatOfTheFirstToken) {
  Script script = response(200, "application/json", "{}", 10s);
  EXPECT_EQ(play(script, {.timeouts = kTimeouts}).reason, Reason::kTimeoutFirstToken);
}

TEST(ProbeTimeout, IsNotTheNewsWhenTheServerHadRefused) {
  Script script = response(503, "application/json", R"({"error":"loading"})");
  script.hangs = true;
  const ProbeResult r = play(script, {.timeouts = kTimeouts});
  EXPECT_EQ(r.reason, Reason::kHttp5xx);
  EXPECT_EQ(r.detail, "loading");
  script.reads.clear();  // the head alone is enough
  EXPECT_EQ(play(script, {.timeouts = kTimeouts}).reason, Reason::kHttp5xx);
}

TEST(ProbeTimeout, MayBeLookedAtAfterTheEnd) {
  Player player(stream({{10ms, text_event("a") + ending(9, 1)}}), {.timeouts = kTimeouts});
  player.play_until(20ms);
  ASSERT_TRUE(player.probe().done());
  player.play_until(1h);
  EXPECT_TRUE(player.probe().take().ok());
}

}  // namespace
}  // namespace tokprobe
