#include <gmock/gmock.h>

#include "tests/probes/harness.h"

namespace tokprobe {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::Optional;

const std::string kError = "data: {\"error\":\"late\"}\n\n";

TEST(ProbeEnd, IsTheEndMarkWhenTheServerKeepsTheConnectionOpen) {
  Script script = stream({{100ms, text_event("a")}, {140ms, text_event("b") + ending(9, 2)}});
  script.hangs = true;
  Player player(script);
  player.play_until(140ms + 200ms - 1ns);
  EXPECT_FALSE(player.probe().done());
  player.play_until(140ms + 200ms);
  ASSERT_TRUE(player.probe().done());
  const ProbeResult r = player.probe().take();
  EXPECT_TRUE(r.ok());
  EXPECT_EQ(r.duration, 140ms);  // the time we waited is not the server's
  EXPECT_EQ(r.phases.close, 0ms);
  EXPECT_TRUE(warnings_of(r).empty());
}

TEST(ProbeEnd, IsNotATimeOutWhenTheEndMarkHadCome) {
  Script script = stream({{990ms, text_event("a") + ending(9, 1)}});
  script.hangs = true;
  EXPECT_TRUE(play(script, {.timeouts = {1s, 1s, 1s, 1s}}).ok());
}

TEST(ProbeEnd, CannotBeSpoiltAfterTheEndMark) {
  for (const TransferEnd end :
       {TransferEnd::kReset, TransferEnd::kTruncated, TransferEnd::kProtocol}) {
    const ProbeResult r = play(stream({{10ms, text_event("a") + ending(9, 1)}}, end));
    EXPECT_TRUE(r.ok());
    EXPECT_EQ(r.detail, "");
  }
}

TEST(ProbeEnd, PassesOverWhateverFollowsTheEndMark) {
  for (const std::string& more :
       {kError, text_event("b"), usage_event(1, 99), std::string("data: nonsense\n\n"),
        std::string("event: error\n\n"), finish_event("abort"), std::string(9U << 20U, 'x')}) {
    Script same_read = stream({{10ms, text_event("a") + ending(9, 1) + more}});
    Script next_read = stream({{10ms, text_event("a") + ending(9, 1)}, {20ms, more}});
    if (more.size() < 1000) {
      const ProbeResult r = play(same_read);
      EXPECT_TRUE(r.ok()) << more;
      EXPECT_EQ(r.text, "a");
      EXPECT_EQ(r.timing.output_tokens, 1);
    }
    const ProbeResult r = play(next_read);
    EXPECT_TRUE(r.ok()) << more.substr(0, 100);
    EXPECT_EQ(r.duration, 10ms);
    EXPECT_EQ(r.timing.output_tokens, 1);
  }
}

TEST(ProbeEnd, IsTheFirstFailure) {
  Player player(stream({{10ms, text_event("a")},
                        {20ms, kError},
                        {30ms, "data: nonsense\n\n"},
                        {40ms, std::string(kDone)}}));
  const ProbeResult r = player.finish();
  EXPECT_EQ(r.reason, Reason::kStreamError);
  EXPECT_EQ(r.detail, "late");
  EXPECT_EQ(r.duration, 20ms);
}

TEST(ProbeEnd, KeepsTheFirstOfTwoFailuresOfAnyKind) {
  EXPECT_EQ(play(stream({{10ms, "data: nonsense\n\n" + kError}})).reason, Reason::kBadPayload);
  EXPECT_EQ(play(stream({{10ms, kError + "data: nonsense\n\n"}})).reason, Reason::kStreamError);
  EXPECT_EQ(play(stream({{10ms, kError}}, TransferEnd::kReset)).reason, Reason::kStreamError);
}

TEST(ProbeEnd, HangsUpSoonAfterAFailure) {
  Script script = stream({{10ms, text_event("a") + kError}});
  script.hangs = true;
  Player player(script);
  player.play_until(209ms);
  EXPECT_FALSE(player.probe().done());
  player.play_until(210ms);
  ASSERT_TRUE(player.probe().done());
  EXPECT_EQ(player.probe().take().reason, Reason::kStreamError);
}

TEST(ProbeEnd, DoesNotBelieveHalfAnEvent) {
  // Cut off, what was an error or an end may be anything.
  EXPECT_EQ(play(stream({{10ms, text_event("a") + "data: {\"error\":\"la"}})).reason,
            Reason::kTruncated);
  EXPECT_EQ(play(stream({{10ms, text_event("a") + "data: [DON"}})).reason, Reason::kTruncated);
  EXPECT_EQ(play(stream({{10ms, text_event("a") + "data: {\"x\":"}}, TransferEnd::kReset)).reason,
            Reason::kConnectionReset);
}

TEST(ProbeEnd, AddsUpToTheDuration) {
  Script script =
      stream({{100ms, text_event("a")}, {140ms + 7ns, text_event("b")}, {150ms, ending(9, 2)}});
  script.dns = 3ms;
  script.connect = 5ms + 1ns;
  script.tls = 20ms;
  script.end_at = 155ms;
  const ProbeResult r = play(script);
  EXPECT_EQ(r.phases.dns, 3ms);
  EXPECT_EQ(r.phases.connect, 5ms + 1ns);
  EXPECT_EQ(r.phases.tls, 20ms);
  EXPECT_EQ(r.phases.first_token, 100ms);
  EXPECT_EQ(r.phases.generation, 40ms + 7ns);
  EXPECT_EQ(r.phases.close, 10ms - 7ns);
  EXPECT_EQ(r.duration, 178ms + 1ns);
  EXPECT_EQ(sum_of(r.phases), *r.duration);
  EXPECT_THAT(r.arrivals, ElementsAre(r.start + 100ms, r.start + 140ms + 7ns));
}

TEST(ProbeEnd, HasNoConnectionPhasesOnAKeptConnection) {
  Script script = stream({{100ms, text_event("a")}, {150ms, ending(9, 1)}});
  script.kept = true;
  const ProbeResult r = play(script);
  EXPECT_EQ(r.phases.dns, std::nullopt);
  EXPECT_EQ(r.phases.connect, std::nullopt);
  EXPECT_EQ(r.phases.tls, std::nullopt);
  EXPECT_EQ(r.duration, 150ms);
  EXPECT_EQ(sum_of(r.phases), *r.duration);
}

TEST(ProbeEnd, IsCancelledOnDemand) {
  Player player(stream({{100ms, text_event("a")}, {900ms, ending(9, 1)}}));
  player.play_until(200ms);
  player.probe().cancel(player.transport());
  ASSERT_TRUE(player.probe().done());
  const ProbeResult r = player.probe().take();
  EXPECT_EQ(r.reason, Reason::kCancelled);
  EXPECT_EQ(r.end, player.start() + 200ms);
  EXPECT_EQ(player.transport().under_way(), 0U);
}

TEST(ProbeEnd, IsCancelledWhateverTheServerHadSaid) {
  Script script = response(500, "text/plain", "no");
  script.hangs = true;
  Player player(script);
  player.play_until(60ms);
  player.probe().cancel(player.transport());
  EXPECT_EQ(player.probe().take().reason, Reason::kCancelled);
}

TEST(ProbeEnd, IsNotCancelledAnyMoreWhenItIsDone) {
  Player player(stream({{10ms, text_event("a") + ending(9, 1)}}));
  player.play_until(20ms);
  player.probe().cancel(player.transport());
  EXPECT_TRUE(player.probe().take().ok());
}

TEST(ProbeEnd, ComesWithABodyBeyondTheLimit) {
  const std::string comment = ":" + std::string((1U << 20U) - 2, 'x') + "\n";
  std::vector<Script::Read> reads;
  for (int i = 0; i < 64; ++i) reads.push_back({1ms, comment});
  Script fits = stream(reads);
  fits.reads.back().bytes = text_event("a");
  fits.reads.push_back({2ms, ending(9, 1)});
  EXPECT_TRUE(play(fits).ok());
  reads.push_back({3ms, "\n"});
  const ProbeResult r = play(stream(reads));
  EXPECT_EQ(r.reason, Reason::kProtocolError);
  EXPECT_EQ(r.detail, "the body is larger than 64 MiB");
}

TEST(ProbeEnd, ComesWithALineBeyondTheLimit) {
  const ProbeResult r = play(stream({{1ms, "data: " + std::string(8U << 20U, 'x')}}));
  EXPECT_EQ(r.reason, Reason::kProtocolError);
  EXPECT_EQ(r.detail, "a line or event is larger than 8 MiB");
  EXPECT_EQ(play(response(200, "application/json", std::string((8U << 20U) + 1, ' '))).reason,
            Reason::kProtocolError);
}

TEST(ProbeEnd, TellsHowLongToWait) {
  const auto waits = [](int status, std::string value) {
    Script script = response(status, "text/plain", "busy");
    script.head->headers.emplace_back("retry-after", std::move(value));
    return play(script).retry_after_seconds;
  };
  EXPECT_THAT(waits(429, "17"), Optional(17.0));
  EXPECT_THAT(waits(503, "0"), Optional(0.0));
  // The fake clock stands at Fri, 15 Jan 2027 08:00:00 GMT.
  EXPECT_THAT(waits(429, "Fri, 15 Jan 2027 08:01:30 GMT"), Optional(90.0));
  EXPECT_EQ(waits(429, "later"), std::nullopt);
  EXPECT_EQ(waits(200, "17"), std::nullopt);
  EXPECT_EQ(play(response(429, "text/plain", "busy")).retry_after_seconds, std::nullopt);
}

}  // namespace
}  // namespace tokprobe
