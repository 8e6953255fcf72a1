#include <gmock/gmock.h>

#include "tests/probes/harness.h"

namespace tokprobe {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

std::string both(std::string_view a, std::string_view b) { return std::string(a).append(b); }

Script good() {
  return stream({{100ms, text_event("a")}, {140ms, text_event("b")}, {145ms, ending(9, 2)}});
}

Script not_connected(TransferEnd end, std::string detail) {
  Script script;
  script.connects = false;
  script.end = end;
  script.end_at = 30ms;
  script.detail = std::move(detail);
  return script;
}

TEST(ProbeReason, IsOkForACompleteAnswer) {
  const ProbeResult r = play(good());
  EXPECT_TRUE(r.ok());
  EXPECT_EQ(r.detail, "");
  EXPECT_EQ(r.http_status, 200);
  EXPECT_TRUE(r.streamed);
  EXPECT_EQ(r.text, "ab");
  EXPECT_EQ(r.finish_reason, "stop");
  EXPECT_EQ(r.request_id, "test-1");
}

TEST(ProbeReason, NamesWhatPreventedTheConnection) {
  const auto reason = [](TransferEnd end) { return play(not_connected(end, "why")).reason; };
  EXPECT_EQ(reason(TransferEnd::kDns), Reason::kDns);
  EXPECT_EQ(reason(TransferEnd::kConnect), Reason::kConnect);
  EXPECT_EQ(reason(TransferEnd::kTls), Reason::kTls);
  EXPECT_EQ(reason(TransferEnd::kReset), Reason::kConnectionReset);
  EXPECT_EQ(reason(TransferEnd::kProtocol), Reason::kProtocolError);
  EXPECT_EQ(reason(TransferEnd::kInternal), Reason::kInternal);
}

TEST(ProbeReason, HasNoTimesWithoutAConnection) {
  const ProbeResult r = play(not_connected(TransferEnd::kConnect, "refused"));
  EXPECT_EQ(r.detail, "refused");
  EXPECT_EQ(r.http_status, std::nullopt);
  EXPECT_EQ(r.duration, std::nullopt);
  EXPECT_EQ(r.timing.ttft, std::nullopt);
  EXPECT_EQ(r.phases.dns, std::nullopt);
  EXPECT_EQ(r.end - r.start, 30ms);
  EXPECT_FALSE(r.streamed);
}

TEST(ProbeReason, SaysItInWordsWhenTheTransportDoesNot) {
  EXPECT_EQ(play(not_connected(TransferEnd::kConnect, "")).detail, row(Reason::kConnect).meaning);
}

TEST(ProbeReason, FollowsTheStatus) {
  const auto reason = [](int status) {
    return play(response(status, "application/json", R"({"error":"why"})"));
  };
  for (const auto& [status, expected] :
       std::vector<std::pair<int, Reason>>{{400, Reason::kHttp4xx},
                                           {401, Reason::kUnauthorized},
                                           {402, Reason::kHttp4xx},
                                           {403, Reason::kUnauthorized},
                                           {404, Reason::kHttp4xx},
                                           {422, Reason::kHttp4xx},
                                           {429, Reason::kRateLimited},
                                           {499, Reason::kHttp4xx},
                                           {500, Reason::kHttp5xx},
                                           {503, Reason::kHttp5xx},
                                           {599, Reason::kHttp5xx},
                                           {204, Reason::kHttpOther},
                                           {205, Reason::kHttpOther},
                                           {301, Reason::kHttpOther},
                                           {307, Reason::kHttpOther},
                                           {600, Reason::kHttpOther},
                                           {999, Reason::kHttpOther}}) {
    const ProbeResult r = reason(status);
    EXPECT_EQ(r.reason, expected) << status;
    EXPECT_EQ(r.http_status, status);
    EXPECT_EQ(r.detail, "why") << status;
    EXPECT_FALSE(r.streamed);
  }
}

TEST(ProbeReason, TakesEveryOther2xxForASuccess) {
  for (const int status : {200, 201, 202, 203, 206, 299}) {
    Script script = good();
    script.head->status = status;
    EXPECT_TRUE(play(script).ok()) << status;
  }
}

TEST(ProbeReason, ShowsABoundedPartOfAnErrorPage) {
  Script script = response(502, "text/html", "");
  script.reads = {{1ms, "<html>\x1B[31m"}, {2ms, std::string(1'000'000, 'x')}, {3ms, "tail"}};
  const ProbeResult r = play(script);
  EXPECT_EQ(r.reason, Reason::kHttp5xx);
  EXPECT_LE(r.detail.size(), 303U);
  EXPECT_THAT(r.detail, HasSubstr("<html> [31mxxx"));
  EXPECT_EQ(r.timing.output_tokens, 0);
}

TEST(ProbeReason, DoesNotReadTheStreamOfARefusal) {
  Script script = good();
  script.head->status = 500;
  const ProbeResult r = play(script);
  EXPECT_EQ(r.reason, Reason::kHttp5xx);
  EXPECT_EQ(r.text, "");
  EXPECT_EQ(r.timing.ttft, std::nullopt);
}

TEST(ProbeReason, NamesACutConnection) {
  Script script = stream({{10ms, text_event("a")}}, TransferEnd::kReset);
  script.detail = "cut";
  const ProbeResult r = play(script);
  EXPECT_EQ(r.reason, Reason::kConnectionReset);
  EXPECT_EQ(r.detail, "cut");
  EXPECT_EQ(r.timing.ttft, 10ms);
}

TEST(ProbeReason, NamesAResponseClosedBeforeItsHead) {
  Script script = stream({}, TransferEnd::kReset);
  script.head.reset();
  script.end_at = 60ms;
  const ProbeResult r = play(script);
  EXPECT_EQ(r.reason, Reason::kConnectionReset);
  EXPECT_EQ(r.http_status, std::nullopt);
  EXPECT_EQ(r.duration, 60ms);
}

TEST(ProbeReason, IsTruncatedWithoutAnEndMark) {
  EXPECT_EQ(play(stream({{10ms, text_event("a")}})).reason, Reason::kTruncated);
  EXPECT_EQ(play(stream({{10ms, text_event("a")}}, TransferEnd::kTruncated)).reason,
            Reason::kTruncated);
  EXPECT_EQ(play(stream({{10ms, text_event("a") + "data: {\"choi"}})).reason, Reason::kTruncated);
  EXPECT_EQ(play(stream({{10ms, ": only a comment\n\n"}})).reason, Reason::kTruncated);
}

TEST(ProbeReason, IsAProtocolErrorWhenHttpIsBroken) {
  EXPECT_EQ(play(stream({{10ms, text_event("a")}}, TransferEnd::kProtocol)).reason,
            Reason::kProtocolError);
}

TEST(ProbeReason, IsBadPayloadForAnEventThatIsNoJson) {
  const ProbeResult r = play(stream({{10ms, text_event("a")},
                                     {20ms, "data: <oops>\n\n"},
                                     {30ms, text_event("b") + ending(9, 2)}}));
  EXPECT_EQ(r.reason, Reason::kBadPayload);
  EXPECT_EQ(r.detail, "not a JSON object: <oops>");
}

TEST(ProbeReason, IsBadPayloadForABodyThatIsNoJson) {
  EXPECT_EQ(play(response(200, "text/html", "<html>hello</html>")).reason, Reason::kBadPayload);
  EXPECT_EQ(play(response(200, "application/json", "{\"choices\":")).reason, Reason::kBadPayload);
}

TEST(ProbeReason, IsAStreamErrorForAnErrorInsideASuccess) {
  const std::string error = "data: {\"error\":{\"message\":\"engine died\",\"type\":\"E\"}}\n\n";
  const ProbeResult r =
      play(stream({{10ms, text_event("a")}, {20ms, error}, {21ms, std::string(kDone)}}));
  EXPECT_EQ(r.reason, Reason::kStreamError);
  EXPECT_EQ(r.detail, "engine died (E)");
  EXPECT_EQ(r.timing.ttft, 10ms);
  EXPECT_EQ(play(response(200, "application/json", R"({"error":"no"})")).reason,
            Reason::kStreamError);
  EXPECT_EQ(play(stream({{10ms, text_event("a") + "event: error\n\n"}})).reason,
            Reason::kStreamError);
  EXPECT_EQ(play(stream({{10ms, text_event("a") + "error: {\"code\":500}\n\n"}})).reason,
            Reason::kStreamError);
}

TEST(ProbeReason, IsEmptyOutputWithoutText) {
  EXPECT_EQ(play(stream({{10ms, ending(9, 0)}})).reason, Reason::kEmptyOutput);
  EXPECT_EQ(play(stream({{10ms, std::string(kDone)}})).reason, Reason::kEmptyOutput);
  EXPECT_EQ(play(stream({{10ms, finish_event("stop")}})).reason, Reason::kEmptyOutput);
  EXPECT_EQ(play(stream({{10ms, text_event("") + ending(9, 3)}})).reason, Reason::kEmptyOutput);
  EXPECT_EQ(play(response(200, "application/json", "")).reason, Reason::kEmptyOutput);
  EXPECT_EQ(play(response(200, "application/json", "{}")).reason, Reason::kEmptyOutput);
  EXPECT_EQ(play(stream({})).reason, Reason::kEmptyOutput);
}

TEST(ProbeReason, IsAbortedWhenTheServerSaysSo) {
  for (const char* word : {"abort", "error", "parse_error", "connection closed"}) {
    const ProbeResult r = play(stream({{10ms, text_event("a") + ending(9, 1, word)}}));
    EXPECT_EQ(r.reason, Reason::kAborted) << word;
    EXPECT_EQ(r.finish_reason, word);
  }
}

TEST(ProbeReason, IsContentFilterWhenAFilterAnswered) {
  const ProbeResult r = play(stream({{10ms, text_event("a") + ending(9, 1, "content_filter")}}));
  EXPECT_EQ(r.reason, Reason::kContentFilter);
  EXPECT_EQ(r.timing.ttft, 10ms);
}

TEST(ProbeReason, IsOkForEveryOtherFinishReason) {
  for (const char* word : {"stop", "length", "tool_calls", "eos_token", "eos", "Abort"}) {
    EXPECT_TRUE(play(stream({{10ms, text_event("a") + ending(9, 1, word)}})).ok()) << word;
  }
}

TEST(ProbeReason, IsOkWithEitherMarkOfTheEnd) {
  EXPECT_TRUE(play(stream({{10ms, both(text_event("a"), kDone)}})).ok());
  EXPECT_TRUE(play(stream({{10ms, text_event("a") + finish_event("stop")}})).ok());
}

TEST(ProbeReason, IsOkWhenTheLastBlankLineIsMissing) {
  EXPECT_TRUE(play(stream({{10ms, text_event("a") + "data: [DONE]\n"}})).ok());
  EXPECT_TRUE(play(stream({{10ms, text_event("a") + "data: [DONE]"}})).ok());
}

TEST(ProbeReason, IsOkForAnAnswerThatWasNotStreamed) {
  const ProbeResult r = play(response(200, "application/json",
                                      R"({"choices":[{"message":{"content":"hi"},
                                          "finish_reason":"stop"}],
                                          "usage":{"prompt_tokens":3,"completion_tokens":2}})"));
  EXPECT_TRUE(r.ok());
  EXPECT_FALSE(r.streamed);
  EXPECT_EQ(r.text, "hi");
  EXPECT_EQ(r.timing.output_tokens, 2);
  EXPECT_EQ(r.timing.ttft, std::nullopt);
  EXPECT_EQ(r.timing.last_token, std::nullopt);
  EXPECT_EQ(r.timing.first_answer, std::nullopt);
  EXPECT_EQ(r.duration, 50ms);
  EXPECT_TRUE(r.arrivals.empty());
  EXPECT_EQ(r.phases.first_token, std::nullopt);
}

TEST(ProbeReason, ReadsAnEventStreamWhateverTheCaseOfItsType) {
  Script script = good();
  script.head->headers = {{"content-type", "Text/Event-Stream"}};
  EXPECT_TRUE(play(script).streamed);
}

}  // namespace
}  // namespace tokprobe
