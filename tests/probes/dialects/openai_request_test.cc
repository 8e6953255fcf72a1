#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "probes/dialects/dialect.h"

namespace tokprobe {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsNull;
using testing::StartsWith;

Generation generation() {
  Generation g;
  g.model = "m";
  g.prompt = "Say hi";
  g.max_tokens = 7;
  return g;
}

std::string body_text(std::string_view dialect, const Generation& g) {
  return find_dialect(dialect)->make_body(g);
}
json body(std::string_view dialect, const Generation& g) {
  return json::parse(body_text(dialect, g));
}

TEST(OpenAiRequest, AsksForAChat) {
  EXPECT_EQ(body("openai-chat", generation()), json::parse(R"({
      "model": "m", "max_tokens": 7, "temperature": 0, "stream": true,
      "stream_options": {"include_usage": true},
      "messages": [{"role": "user", "content": "Say hi"}]})"));
}

TEST(OpenAiRequest, AsksForACompletion) {
  EXPECT_EQ(body("openai-completions", generation()), json::parse(R"({
      "model": "m", "max_tokens": 7, "temperature": 0, "stream": true,
      "stream_options": {"include_usage": true}, "prompt": "Say hi"})"));
}

TEST(OpenAiRequest, IgnoresTheEndOfSequenceOnlyWhenAsked) {
  Generation g = generation();
  for (const Dialect& dialect : all_dialects()) {
    g.ignore_eos = false;
    EXPECT_FALSE(body(dialect.name, g).contains("ignore_eos"));
    g.ignore_eos = true;
    EXPECT_EQ(body(dialect.name, g)["ignore_eos"], true);
  }
}

TEST(OpenAiRequest, LeavesTheModelOutWhenThereIsNone) {
  Generation g = generation();
  g.model = "";
  for (const Dialect& dialect : all_dialects()) {
    EXPECT_FALSE(body(dialect.name, g).contains("model")) << dialect.name;
  }
}

TEST(OpenAiRequest, EscapesForeignText) {
  Generation g = generation();
  g.model = "a\"b\\c\nd\x01/e";
  g.prompt = "quote \" line\nend \xF0\x9F\x98\x80 \t";
  EXPECT_EQ(body("openai-chat", g)["model"], g.model);
  EXPECT_EQ(body("openai-chat", g)["messages"][0]["content"], g.prompt);
  EXPECT_EQ(body("openai-completions", g)["prompt"], g.prompt);
}

TEST(OpenAiRequest, ReplacesIllFormedUtf8) {
  Generation g = generation();
  g.model = "m\xFF";
  g.prompt = "p\xED\xA0\x80";
  EXPECT_EQ(body("openai-chat", g)["model"], "m\xEF\xBF\xBD");
  EXPECT_NO_THROW(body("openai-completions", g));
}

TEST(OpenAiRequest, StandsOnOneLineWithTheModelFirst) {
  for (const Dialect& dialect : all_dialects()) {
    const std::string text = body_text(dialect.name, generation());
    EXPECT_THAT(text, StartsWith(R"({"model":"m",)"));
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
}

TEST(Dialects, HaveUniqueNamesAndAPath) {
  std::set<std::string_view> names;
  for (const Dialect& dialect : all_dialects()) {
    EXPECT_TRUE(names.insert(dialect.name).second) << dialect.name;
    EXPECT_THAT(std::string(dialect.path), StartsWith("/"));
    EXPECT_FALSE(dialect.help.empty());
    EXPECT_EQ(find_dialect(dialect.name), &dialect);
    EXPECT_NE(dialect.make_parser(), nullptr);
  }
  EXPECT_THAT(find_dialect("openai"), IsNull());
  EXPECT_THAT(find_dialect(""), IsNull());
}

TEST(Dialects, BeginWithTheOpenAiOnes) {
  EXPECT_EQ(all_dialects()[0].name, "openai-chat");
  EXPECT_EQ(all_dialects()[0].path, "/v1/chat/completions");
  EXPECT_EQ(find_dialect("openai-completions")->path, "/v1/completions");
}

}  // namespace
}  // namespace tokprobe
