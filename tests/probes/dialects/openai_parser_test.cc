#include <gmock/gmock.h>

#include "tests/probes/dialects/parsed.h"

namespace tokprobe {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(OpenAiParser, ReadsTheTextOfAChatChunk) {
  EXPECT_THAT(parsed(R"({"choices":[{"index":0,"delta":{"role":"assistant","content":"hi"}}]})"),
              ElementsAre("answer:hi"));
}

TEST(OpenAiParser, ReadsTheTextOfACompletion) {
  EXPECT_THAT(parsed(R"({"choices":[{"index":0,"text":"hi","finish_reason":null}]})"),
              ElementsAre("answer:hi"));
}

TEST(OpenAiParser, KeepsWhitespaceOfTheText) {
  EXPECT_THAT(parsed(R"({"choices":[{"delta":{"content":"\n\n "}}]})"),
              ElementsAre("answer:\n\n "));
}

TEST(OpenAiParser, ReadsEscapedText) {
  EXPECT_THAT(parsed(R"({"choices":[{"delta":{"content":"\ud83d\ude00 a\/b \u00e9\u0000"}}]})"),
              ElementsAre(std::string("answer:\xF0\x9F\x98\x80 a/b \xC3\xA9\0", 19)));
}

TEST(OpenAiParser, TakesNoTokenFromAChunkWithoutText) {
  for (
      const char* chunk :
      {R"({"choices":[{"delta":{"role":"assistant"}}]})",
       R"({"choices":[{"delta":{"content":""}}]})", R"({"choices":[{"delta":{"content":null}}]})",
       R"({"choices":[{"delta":{}}]})", R"({"choices":[{"delta":null}]})", R"({"choices":[{}]})",
       R"({"choices":[{"text":""}]})", R"({"choices":[{"text":null}]})", R"({"choices":[]})",
       R"({"choices":null})", R"({})", R"({"choices":{}})", R"({"choices":"x"})",
       R"({"choices":[1,null,"x",[]]})", R"({"choices":[{"delta":"x"}]})",
       R"({"choices":[{"delta":{"content":7}}]})",
       R"({"prompt_progress":{"total":9,"processed":3},"choices":[{"delta":{"content":null}}]})"}) {
    EXPECT_THAT(parsed(chunk), IsEmpty()) << chunk;
  }
}

TEST(OpenAiParser, ReadsReasoningUnderBothNames) {
  EXPECT_THAT(parsed(R"({"choices":[{"delta":{"reasoning_content":"a"}}]})"),
              ElementsAre("reasoning:a"));
  EXPECT_THAT(parsed(R"({"choices":[{"delta":{"reasoning":"a"}}]})"), ElementsAre("reasoning:a"));
}

TEST(OpenAiParser, CountsReasoningOnceWhenBothNamesAreFilled) {
  EXPECT_THAT(parsed(R"({"choices":[{"delta":{"reasoning":"a","reasoning_content":"a"}}]})"),
              ElementsAre("reasoning:a"));
  EXPECT_THAT(parsed(R"({"choices":[{"delta":{"reasoning":"a","reasoning_content":""}}]})"),
              ElementsAre("reasoning:a"));
  EXPECT_THAT(parsed(R"({"choices":[{"delta":{"reasoning":"a","reasoning_content":null}}]})"),
              ElementsAre("reasoning:a"));
}

TEST(OpenAiParser, ReadsReasoningAndAnswerOfOneChunk) {
  EXPECT_THAT(parsed(R"({"choices":[{"delta":{"reasoning":"a","content":"b"}}]})"),
              ElementsAre("reasoning:a", "answer:b"));
}

TEST(OpenAiParser, ReadsToolArguments) {
  EXPECT_THAT(parsed(R"({"choices":[{"delta":{"content":null,"tool_calls":[
                {"index":0,"function":{"name":"f","arguments":"{\"a\""}},
                {"index":1,"function":{"arguments":":1}"}}]}}]})"),
              ElementsAre("tool:{\"a\"", "tool::1}"));
}

TEST(OpenAiParser, TakesNoTokenFromAToolCallWithoutArguments) {
  for (const char* calls :
       {R"([{"function":{"name":"f","arguments":""}}])", R"([{"function":null}])",
        R"([{"id":"1"}])", "[]", "null", R"([null])", R"("x")"}) {
    const std::string chunk =
        R"({"choices":[{"delta":{"tool_calls":)" + std::string(calls) + "}}]}";
    EXPECT_THAT(parsed(chunk), IsEmpty()) << chunk;
  }
}

TEST(OpenAiParser, ReadsFinishReasons) {
  EXPECT_THAT(parsed(R"({"choices":[{"delta":{},"finish_reason":"stop"}]})"),
              ElementsAre("finish:stop"));
  EXPECT_THAT(parsed(R"({"choices":[{"text":"a","finish_reason":"length"}]})"),
              ElementsAre("answer:a", "finish:length"));
}

TEST(OpenAiParser, PassesOverAFinishReasonThatSaysNothing) {
  for (const char* value : {"null", "\"\"", "0", "{}"}) {
    EXPECT_THAT(parsed(R"({"choices":[{"delta":{},"finish_reason":)" + std::string(value) + "}]}"),
                IsEmpty());
  }
}

TEST(OpenAiParser, ReadsEveryChoice) {
  EXPECT_THAT(parsed(R"({"choices":[{"index":1,"delta":{"content":"b"},"finish_reason":"stop"},
                                    {"index":0,"delta":{"content":"a"}}]})"),
              ElementsAre("answer:b", "finish:stop", "answer:a"));
}

TEST(OpenAiParser, ReadsTheEndMarkWithSpacesAroundIt) {
  for (const char* mark : {"[DONE]", "[DONE] ", " [DONE]", "[DONE]\t\r"}) {
    EXPECT_THAT(parsed(mark), ElementsAre("end")) << mark;
  }
}

TEST(OpenAiParser, TakesNothingElseForTheEndMark) {
  for (const char* mark : {"[done]", "DONE", "[DONE", "[DONE]]", "[DONE] x"}) {
    EXPECT_THAT(parsed(mark), ElementsAre(testing::StartsWith("bad:"))) << mark;
  }
}

TEST(OpenAiParser, PassesOverBlankData) { EXPECT_THAT(parsed(" \t "), IsEmpty()); }

TEST(OpenAiParser, ReadsADocument) {
  EXPECT_THAT(document(R"({"object":"chat.completion","choices":[{"message":{"role":"assistant",
                "content":"hi","reasoning_content":"r"},"finish_reason":"stop"}],
                "usage":{"prompt_tokens":3,"completion_tokens":2}})"
                       "\n"),
              ElementsAre("usage:3/2/-/-", "reasoning:r", "answer:hi", "finish:stop", "end"));
  EXPECT_THAT(document(R"({"choices":[{"text":"hi","finish_reason":"length"}]})"),
              ElementsAre("answer:hi", "finish:length", "end"));
}

TEST(OpenAiParser, TakesADocumentWithAnErrorForItsOwnEnd) {
  EXPECT_THAT(document(R"({"error":"broken"})"), ElementsAre("error:broken", "end"));
}

TEST(OpenAiParser, TakesAnEmptyObjectForADocumentWithoutText) {
  EXPECT_THAT(document("{}"), ElementsAre("end"));
  EXPECT_THAT(document(R"({"status":"ok"})"), ElementsAre("end"));
}

TEST(OpenAiParser, TakesADocumentThatIsNoObjectForBad) {
  EXPECT_THAT(document("<html>"), ElementsAre("bad:not a JSON object: <html>"));
  EXPECT_THAT(document(" \n"), ElementsAre("bad:not a JSON object: "));
}

TEST(OpenAiParser, MayBeUsedFrameAfterFrame) {
  const auto parser = find_dialect("openai-chat")->make_parser();
  EXPECT_THAT(parsed("nonsense", *parser), ElementsAre(testing::StartsWith("bad:")));
  EXPECT_THAT(parsed(R"({"choices":[{"delta":{"content":"a"}}]})", *parser),
              ElementsAre("answer:a"));
  EXPECT_THAT(parsed(R"({"choices":[{"delta":{"content":"b"}}]})", *parser),
              ElementsAre("answer:b"));
}

}  // namespace
}  // namespace tokprobe
