#include "tests/sim/request.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/sim/prefix_cache.h"
#include "tests/sim/response.h"
#include "tests/sim/text.h"
#include "tests/sim/tokenizer.h"

namespace tokprobe_sim {
namespace {

using testing::HasSubstr;

GenerationRequest good(const std::string& body, bool chat = true, const Settings& settings = {}) {
  auto parsed = parse_generation(body, chat, settings);
  if (const auto* error = std::get_if<ApiError>(&parsed)) {
    ADD_FAILURE() << error->message;
    return {};
  }
  return std::get<GenerationRequest>(parsed);
}

ApiError bad(const std::string& body, bool chat = true, const Settings& settings = {}) {
  auto parsed = parse_generation(body, chat, settings);
  if (const auto* error = std::get_if<ApiError>(&parsed)) return *error;
  ADD_FAILURE() << "accepted: " << body;
  return {0, "", "", ""};
}

TEST(Tokenizer, CutsWordsAndLongWords) {
  EXPECT_EQ(tokenize("").size(), 0U);
  EXPECT_EQ(tokenize("  one\ttwo\nthree ").size(), 3U);
  EXPECT_EQ(tokenize("12345678").size(), 1U);
  EXPECT_EQ(tokenize("123456789").size(), 2U);
  EXPECT_EQ(tokenize("same")[0], tokenize("other same")[1]);
}

TEST(Request, ReadsAChat) {
  const GenerationRequest request = good(R"({"model":"sim-model","messages":[
      {"role":"system","content":"be brief"},
      {"role":"user","content":[{"type":"text","text":"hello there"}]}],
      "stream":true,"stream_options":{"include_usage":true},"ignore_eos":true,
      "max_tokens":5,"max_completion_tokens":7,"min_tokens":2,"temperature":0,"unknown":[1]})");
  EXPECT_TRUE(request.stream);
  EXPECT_TRUE(request.include_usage);
  EXPECT_FALSE(request.continuous_usage);
  EXPECT_TRUE(request.ignore_eos);
  EXPECT_EQ(request.max_tokens, 7);
  EXPECT_EQ(request.min_tokens, 2);
  EXPECT_EQ(request.prompt_tokens.size(), 4U + 12U);
}

TEST(Request, ReadsACompletion) {
  EXPECT_EQ(good(R"({"prompt":"a b"})", false).prompt_tokens.size(), 2U);
  EXPECT_EQ(good(R"({"prompt":["a b"]})", false).prompt_tokens.size(), 2U);
  EXPECT_EQ(good(R"({"prompt":[5,6,7]})", false).prompt_tokens.size(), 3U);
}

TEST(Request, RefusesWithTheNameOfTheField) {
  EXPECT_EQ(bad("{").status, 400);
  EXPECT_EQ(bad("[]").status, 400);
  EXPECT_EQ(bad("{}").param, "messages");
  EXPECT_EQ(bad(R"({"messages":[]})").param, "messages");
  EXPECT_EQ(bad(R"({"messages":[{"content":"x"}]})").param, "messages");
  EXPECT_EQ(bad(R"({"prompt":["a","b"]})", false).param, "prompt");
  EXPECT_EQ(bad(R"({"prompt":"a","max_tokens":0})", false).param, "max_tokens");
  EXPECT_EQ(bad(R"({"prompt":"a","max_tokens":1.5})", false).param, "max_tokens");
  EXPECT_EQ(bad(R"({"prompt":"a","stream":"yes"})", false).param, "stream");
  EXPECT_EQ(bad(R"({"prompt":"a","n":2})", false).param, "n");
  EXPECT_EQ(bad(R"({"prompt":"a","stream_options":{}})", false).param, "stream_options");
  EXPECT_EQ(bad(R"({"prompt":"a","min_tokens":9,"max_tokens":8})", false).param, "min_tokens");
  EXPECT_EQ(bad(R"({"prompt":"a","model":"x"})", false).status, 404);
}

TEST(Request, KnowsTheLimitsOfTheModel) {
  Settings settings;
  settings.max_model_len = 10;
  EXPECT_THAT(bad(R"({"prompt":"a b c","max_tokens":8})", false, settings).message,
              HasSubstr("maximum context length is 10"));
  good(R"({"prompt":"a b c","max_tokens":7})", false, settings);
  settings.any_model = true;
  EXPECT_EQ(good(R"({"prompt":"a","model":"x"})", false, settings).model, "x");
}

TEST(Plan, FollowsTheLimitUnlessItStopsEarly) {
  Settings settings;
  GenerationRequest request;
  EXPECT_EQ(make_plan(request, settings, 1).output_tokens, 200);
  EXPECT_STREQ(make_plan(request, settings, 1).finish_reason, "stop");
  request.max_tokens = 50;
  EXPECT_EQ(make_plan(request, settings, 1).output_tokens, 50);
  EXPECT_STREQ(make_plan(request, settings, 1).finish_reason, "length");
  settings.early_stop = 1;
  request.min_tokens = 20;
  for (uint64_t id = 1; id < 200; ++id) {
    const Plan plan = make_plan(request, settings, id);
    EXPECT_GE(plan.output_tokens, 20);
    EXPECT_LT(plan.output_tokens, 50);
    EXPECT_STREQ(plan.finish_reason, "stop");
  }
  request.ignore_eos = true;
  EXPECT_EQ(make_plan(request, settings, 1).output_tokens, 50);
}

TEST(PrefixCache, CountsWholeBlocksThatWereSeen) {
  PrefixCache cache;
  std::vector<uint32_t> prompt(40);
  for (size_t i = 0; i < prompt.size(); ++i) prompt[i] = static_cast<uint32_t>(i);
  EXPECT_EQ(cache.look_up(prompt), 0);
  EXPECT_EQ(cache.look_up(prompt), 32);
  prompt[20] = 999;
  EXPECT_EQ(cache.look_up(prompt), 16);
  prompt[0] = 999;
  EXPECT_EQ(cache.look_up(prompt), 0);
  prompt.resize(32);
  EXPECT_EQ(cache.look_up(prompt), 16);  // the last token is always computed
}

TEST(Settings, ChangesAllOrNothing) {
  Settings settings;
  EXPECT_EQ(apply_changes({{"ttft", 1}, {"decode", "1:10"}, {"usage", "always"}}, settings), "");
  EXPECT_EQ(settings.engine.ttft, 1);
  EXPECT_EQ(settings.usage, UsageMode::kAlways);
  for (const nlohmann::json& change :
       std::vector<nlohmann::json>{{{"ttft", 2}, {"nonsense", 1}},
                                   {{"ttft", -1}},
                                   {{"ttft", "x"}},
                                   {{"max_running", 1.5}},
                                   {{"faults", 1}},
                                   {{"faults", {{{"kind", "fire"}}}}},
                                   nlohmann::json::array()}) {
    EXPECT_NE(apply_changes(change, settings), "") << change.dump();
  }
  EXPECT_EQ(settings.engine.ttft, 1);
  nlohmann::json dump = to_json(settings);
  EXPECT_EQ(apply_changes(dump, settings), "");  // what GET gives, POST takes
}

TEST(Settings, CountsFaultsDown) {
  Settings settings;
  settings.faults.resize(1);
  ASSERT_EQ(parse_fault(std::string("reset,after_tokens=5,count=2"), settings.faults[0]), "");
  SettingsStore store(settings);
  EXPECT_EQ(store.pick_fault(1)->after_tokens, 5);
  EXPECT_TRUE(store.pick_fault(2));
  EXPECT_FALSE(store.pick_fault(3));
}

TEST(Fault, RefusesNonsense) {
  Fault fault;
  for (const std::string text : {"fire", "reset,count", "reset,count=x", "status,status=9",
                                 "slow,x=1", "never,probability=2"}) {
    EXPECT_NE(parse_fault(text, fault), "") << text;
  }
}

TEST(Text, IsVariedAndRepeatable) {
  TextSource source(TextMode::kHealthy, 1, 7), again(TextMode::kHealthy, 1, 7);
  std::set<std::string> words;
  for (int i = 0; i < 200; ++i) {
    const std::string word = source.next();
    EXPECT_EQ(word, again.next());
    EXPECT_EQ(word.find(' ') == 0, i > 0);
    words.insert(word);
  }
  EXPECT_GT(words.size(), 90U);
}

TEST(Text, CanBeBroken) {
  TextSource marks(TextMode::kExclamation, 1, 7), loop(TextMode::kLoop, 1, 7);
  std::set<std::string> words;
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(marks.next(), "!");
    const std::string word = loop.next();
    if (i > 60) words.insert(word);
  }
  EXPECT_LT(words.size(), 13U);
}

TEST(Response, IsValidJson) {
  GenerationRequest request;
  request.model = "a\"b";
  const ResponseWriter writer(request, 3);
  const std::string event = writer.text_event(ResponseWriter::Channel::kReasoning, "x\n\"", "stop",
                                              UsageCounts{5, 0, 2, 1});
  ASSERT_EQ(event.substr(0, 6), "data: ");
  const auto json = nlohmann::json::parse(event.substr(6));
  EXPECT_EQ(json["model"], "a\"b");
  EXPECT_EQ(json["choices"][0]["delta"]["reasoning_content"], "x\n\"");
  EXPECT_EQ(json["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(json["usage"]["total_tokens"], 7);
  EXPECT_EQ(json["usage"]["prompt_tokens_details"]["cached_tokens"], 0);
  const auto usage = nlohmann::json::parse(writer.usage_event({5, -1, 2, 0}).substr(6));
  EXPECT_TRUE(usage["choices"].empty());
  EXPECT_FALSE(usage["usage"].contains("prompt_tokens_details"));
  const auto whole = nlohmann::json::parse(writer.whole("r", "a", "length", {5, -1, 2, 1}));
  EXPECT_EQ(whole["choices"][0]["message"]["content"], "a");
}

}  // namespace
}  // namespace tokprobe_sim
