#include <gmock/gmock.h>

#include "tests/probes/dialects/parsed.h"

namespace tokprobe {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::string> usage(const std::string& object) {
  return parsed(R"({"choices":[],"usage":)" + object + "}");
}

TEST(OpenAiUsage, IsReadWhereverItStands) {
  EXPECT_THAT(usage(R"({"prompt_tokens":11,"completion_tokens":3,"total_tokens":14})"),
              ElementsAre("usage:11/3/-/-"));
  EXPECT_THAT(parsed(R"({"usage":{"prompt_tokens":1,"completion_tokens":2}})"),
              ElementsAre("usage:1/2/-/-"));
  EXPECT_THAT(parsed(R"({"choices":null,"usage":{"completion_tokens":2}})"),
              ElementsAre("usage:-/2/-/-"));
  EXPECT_THAT(parsed(R"({"choices":[{"text":"a","finish_reason":"stop"}],
                         "usage":{"completion_tokens":2}})"),
              ElementsAre("usage:-/2/-/-", "answer:a", "finish:stop"));
  EXPECT_THAT(parsed(R"({"error":"broken","usage":{"completion_tokens":2}})"),
              ElementsAre("error:broken", "usage:-/2/-/-"));
}

TEST(OpenAiUsage, MayBeNothing) {
  for (const char* value : {"null", "[]", "\"x\"", "7", "false"}) {
    EXPECT_THAT(usage(value), IsEmpty()) << value;
  }
}

TEST(OpenAiUsage, HasDetails) {
  EXPECT_THAT(usage(R"({"prompt_tokens":9,"completion_tokens":8,
                        "prompt_tokens_details":{"cached_tokens":5},
                        "completion_tokens_details":{"reasoning_tokens":6}})"),
              ElementsAre("usage:9/8/5/6"));
  EXPECT_THAT(usage(R"({"prompt_tokens":9,"completion_tokens":8,"reasoning_tokens":4})"),
              ElementsAre("usage:9/8/-/4"));
  EXPECT_THAT(usage(R"({"completion_tokens":8,"reasoning_tokens":4,"prompt_tokens_details":null,
                        "completion_tokens_details":{"reasoning_tokens":6}})"),
              ElementsAre("usage:-/8/-/6"));
  EXPECT_THAT(usage(R"({"completion_tokens":8,"reasoning_tokens":4,
                        "completion_tokens_details":null})"),
              ElementsAre("usage:-/8/-/4"));
}

TEST(OpenAiUsage, TakesFloatsRoundedDown) {
  EXPECT_THAT(usage(R"({"prompt_tokens":11.0,"completion_tokens":3.9})"),
              ElementsAre("usage:11/3/-/-"));
  EXPECT_THAT(usage(R"({"prompt_tokens":1e3,"completion_tokens":0})"),
              ElementsAre("usage:1000/0/-/-"));
}

TEST(OpenAiUsage, PassesOverFiguresThatCannotBe) {
  for (const char* value : {"-1", "-0.5", "1e300", "1000000000001", "18446744073709551615", "null",
                            "\"7\"", "[]", "true"}) {
    EXPECT_THAT(usage(R"({"prompt_tokens":)" + std::string(value) + R"(,"completion_tokens":2})"),
                ElementsAre("usage:-/2/-/-"))
        << value;
  }
  EXPECT_THAT(usage(R"({"prompt_tokens":1000000000000})"),
              ElementsAre("usage:1000000000000/-/-/-"));
}

TEST(OpenAiError, IsReadAsAnObject) {
  EXPECT_THAT(parsed(R"({"error":{"message":"no memory","type":"server_error","code":500}})"),
              ElementsAre("error:no memory (server_error)"));
  EXPECT_THAT(parsed(R"({"error":{"message":"no memory"}})"), ElementsAre("error:no memory"));
  EXPECT_THAT(parsed(R"({"error":{"code":500}})"), ElementsAre("error:an error without a message"));
}

TEST(OpenAiError, IsReadAsText) {
  EXPECT_THAT(parsed(R"({"error":"no memory"})"), ElementsAre("error:no memory"));
  EXPECT_THAT(parsed(R"({"error":"stopped early","error_type":"incomplete_generation"})"),
              ElementsAre("error:stopped early (incomplete_generation)"));
}

TEST(OpenAiError, IsReadWhenItIsFlat) {
  EXPECT_THAT(parsed(R"({"object":"error","message":"no memory","type":"BadRequest","code":400})"),
              ElementsAre("error:no memory (BadRequest)"));
  EXPECT_THAT(parsed(R"({"message":"too long","error_type":"validation"})"),
              ElementsAre("error:too long (validation)"));
}

TEST(OpenAiError, IsSeenBesideAnAnswer) {
  EXPECT_THAT(parsed(R"({"choices":[{"delta":{"content":"a"}}],"error":{"message":"m"}})"),
              ElementsAre("error:m", "answer:a"));
}

TEST(OpenAiError, IsNoneWhenNullOrEmpty) {
  EXPECT_THAT(parsed(R"({"error":null,"choices":[{"delta":{"content":"a"}}]})"),
              ElementsAre("answer:a"));
  EXPECT_THAT(parsed(R"({"error":"","error_type":"","choices":[{"delta":{"content":"a"}}]})"),
              ElementsAre("answer:a"));
  EXPECT_THAT(parsed(R"({"object":"chat.completion.chunk","message":"x","choices":[]})"),
              IsEmpty());
}

TEST(OpenAiError, IsReadFromAnErrorEventWhateverItHolds) {
  EXPECT_THAT(parsed(R"({"error":{"message":"m"}})", "error"), ElementsAre("error:m"));
  EXPECT_THAT(parsed(R"({"code":500})", "error"), ElementsAre(R"(error:{"code":500})"));
  EXPECT_THAT(parsed("not json\x01", "error"), ElementsAre("error:not json "));
  EXPECT_THAT(parsed("", "error"), ElementsAre("error:an error event without a message"));
}

TEST(OpenAiError, IsPrintableAndBounded) {
  const auto events = parsed(R"({"error":"\u001b[31m)" + std::string(100'000, 'x') + "\"}");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_THAT(events[0], StartsWith("error: [31mxxx"));
  EXPECT_LE(events[0].size(), 320U);
}

TEST(OpenAiBadFrame, IsWhatIsNoJsonObject) {
  for (const std::string data :
       {"x", "{", "{\"choices\":[}", "[1]", "\"text\"", "7", "null", "{} {}", "{\"a\":1}}",
        "{\"a\":\"\xFF\"}", "{\"a\":\"\xED\xA0\x80\"}", "{\"a\":\"raw\ntext\"}", "{'a':1}",
        "{\"a\":01}", "{\"a\":NaN}", "\xEF\xBB\xBF{}"}) {
    EXPECT_THAT(parsed(data), ElementsAre(StartsWith("bad:not a JSON object: ")))
        << testing::PrintToString(data);
  }
}

TEST(OpenAiBadFrame, ShowsABoundedPrintableExcerpt) {
  EXPECT_THAT(parsed("\x1B[31m<html>"), ElementsAre("bad:not a JSON object:  [31m<html>"));
  const auto events = parsed(std::string(1'000'000, 'x'));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_LE(events[0].size(), 120U);
}

TEST(OpenAiBadFrame, IsDeepNestingInsteadOfACrash) {
  const std::string deep = "{\"a\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_THAT(parsed(deep), ElementsAre(StartsWith("bad:")));
  const std::string flat = "{\"a\":" + std::string(500, '[') + std::string(500, ']') + "}";
  EXPECT_THAT(parsed(flat), IsEmpty());
}

TEST(OpenAiParser, TakesAnEventOfTheLargestSize) {
  const std::string begin = R"({"choices":[{"delta":{"content":")";
  const std::string end = R"("}}]})";
  std::string data = begin;
  data.resize(kMaxFrameBytes - end.size(), 'x');
  const auto events = parsed(data + end);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].size(), kMaxFrameBytes - begin.size() - end.size() + 7);
}

}  // namespace
}  // namespace tokprobe
