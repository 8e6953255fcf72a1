#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/probes/farm.h"

namespace tokprobe {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::IsEmpty;
using testing::SizeIs;

int words_in(const HttpRequest& request) {
  const std::string prompt = json::parse(request.body)["messages"][0]["content"];
  return static_cast<int>(std::count(prompt.begin(), prompt.end(), ' ')) + 1;
}

// A server whose template costs 30 tokens and whose words cost two.
Script counting(const HttpRequest& request) {
  const int tokens = json::parse(request.body)["max_tokens"];
  return answer(10ms, tokens, 20ms, 30 + 2 * words_in(request));
}

RunSpec sized(int input_tokens) {
  RunSpec spec = run_spec(2, 3);
  spec.shape.input_tokens = input_tokens;
  spec.shape.output_tokens = 4;
  spec.shape.ignore_eos = true;
  return spec;
}

TEST(RunCalibration, ComesFirstWithTwoRequestsOneAfterAnother) {
  Farm farm([](std::size_t, const HttpRequest& request) { return counting(request); });
  bool overlap = false;
  const RunResult run = farm.work(sized(1000), [&] {
    overlap = overlap || (farm.transport.requests().size() <= 2 && farm.transport.under_way() > 1);
  });
  EXPECT_FALSE(overlap);
  ASSERT_THAT(farm.transport.requests(), SizeIs(5));
  EXPECT_EQ(words_in(farm.transport.requests()[0]), 24);
  EXPECT_EQ(words_in(farm.transport.requests()[1]), 400);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(json::parse(farm.transport.requests()[i].body)["max_tokens"], i < 2 ? 1 : 4);
  }
}

TEST(RunCalibration, IsSeparateFromTheMeasuredRequests) {
  Farm farm([](std::size_t, const HttpRequest& request) { return counting(request); });
  const RunResult run = farm.work(sized(1000));
  ASSERT_THAT(run.unmeasured, SizeIs(2));
  ASSERT_THAT(run.requests, SizeIs(3));
  for (const ProbeResult& r : run.unmeasured) {
    EXPECT_TRUE(r.ok());
    EXPECT_EQ(r.asked_input_tokens, 0);
    EXPECT_THAT(warnings_of(r), IsEmpty());
  }
}

TEST(RunCalibration, LearnsTheLengthOfThePrompt) {
  Farm farm([](std::size_t, const HttpRequest& request) { return counting(request); });
  const RunResult run = farm.work(sized(1000));
  for (const ProbeResult& r : run.requests) {
    EXPECT_EQ(r.prompt_tokens, 1000);
    EXPECT_EQ(r.prompt_words, 485);
    EXPECT_THAT(warnings_of(r), IsEmpty());
  }
}

TEST(RunCalibration, IsDoneOncePerTarget) {
  Farm farm([](std::size_t, const HttpRequest& request) { return counting(request); });
  farm.work(sized(1000));
  const RunResult again = farm.work(sized(4000));
  EXPECT_THAT(again.unmeasured, IsEmpty());
  for (const ProbeResult& r : again.requests) EXPECT_EQ(r.prompt_tokens, 4000);
}

TEST(RunCalibration, SendsNoLongPromptForAShortTask) {
  Farm farm([](std::size_t, const HttpRequest& request) { return counting(request); });
  farm.work(sized(20));
  EXPECT_EQ(words_in(farm.transport.requests()[0]), 24);
  EXPECT_LE(words_in(farm.transport.requests()[1]), 60);
}

TEST(RunCalibration, IsLeftOutWhenNoLengthIsAsked) {
  Farm farm([](std::size_t, const HttpRequest& request) { return counting(request); });
  EXPECT_THAT(farm.work(sized(0)).unmeasured, IsEmpty());
  Farm other([](std::size_t, const HttpRequest& request) { return counting(request); });
  RunSpec spec = sized(1000);
  spec.calibrate = false;
  EXPECT_THAT(other.work(spec).unmeasured, IsEmpty());
}

TEST(RunCalibration, IsNotRepeatedAtAServerThatFails) {
  Farm farm([](std::size_t, const HttpRequest&) { return response(503, "text/plain", "busy"); });
  const RunResult run = farm.work(sized(1000));
  ASSERT_THAT(run.unmeasured, SizeIs(1));
  EXPECT_EQ(run.unmeasured[0].reason, Reason::kHttp5xx);
  EXPECT_THAT(run.requests, SizeIs(3));
  EXPECT_EQ(farm.transport.requests().size(), 4U);
}

TEST(RunCalibration, WatchesItsTimeOut) {
  Farm farm([](std::size_t n, const HttpRequest& request) {
    Script script = n == 0 ? stream({}) : counting(request);
    script.hangs = n == 0;
    return script;
  });
  RunSpec spec = sized(1000);
  spec.shape.timeouts.first_token = 300ms;
  const RunResult run = farm.work(spec);
  ASSERT_THAT(run.unmeasured, SizeIs(1));
  EXPECT_EQ(run.unmeasured[0].reason, Reason::kTimeoutFirstToken);
  EXPECT_EQ(run.unmeasured[0].duration, 300ms);
  EXPECT_THAT(run.requests, SizeIs(3));
}

TEST(RunCalibration, CanBeCancelled) {
  Farm farm([](std::size_t, const HttpRequest& request) { return counting(request); });
  tokprobe::Run run(sized(1000), farm.requester, farm.transport, farm.clock);
  run.pump(farm.clock.now());
  EXPECT_EQ(farm.transport.under_way(), 1U);
  run.cancel();
  EXPECT_EQ(farm.transport.under_way(), 0U);
  const RunResult result = run.take();
  EXPECT_THAT(result.unmeasured, IsEmpty());
  EXPECT_THAT(result.requests, IsEmpty());
  EXPECT_TRUE(result.cancelled);
}

TEST(Requester, LearnsFromMeasuredRequestsToo) {
  Farm farm([](std::size_t, const HttpRequest& request) { return counting(request); });
  RunSpec spec = sized(1000);
  spec.calibrate = false;
  spec.concurrency = 1;
  const RunResult run = farm.work(spec);
  ASSERT_THAT(run.requests, SizeIs(3));
  EXPECT_EQ(run.requests[0].prompt_tokens, 30 + 2 * 909);  // guessed
  EXPECT_NEAR(static_cast<double>(*run.requests[2].prompt_tokens), 1000, 20);
}

TEST(Requester, SendsAGivenPromptAsItIs) {
  Farm farm([](std::size_t, const HttpRequest& request) { return counting(request); });
  RunSpec spec = run_spec(1, 1);
  spec.shape.prompt = "Say \"hi\"\n";
  spec.shape.reuse_connection = true;
  const RunResult run = farm.work(spec);
  const HttpRequest& request = farm.transport.requests().at(0);
  EXPECT_EQ(json::parse(request.body)["messages"][0]["content"], "Say \"hi\"\n");
  EXPECT_FALSE(request.fresh_connection);
  EXPECT_EQ(run.requests.at(0).prompt_words, 0);
  EXPECT_FALSE(farm.requester.sizer().calibrated());
}

TEST(Requester, NamesItsRequestsByTheSeed) {
  Requester a(Farm::local(), *find_dialect("openai-chat"), "m", 7);
  Requester b(Farm::local(), *find_dialect("openai-chat"), "m", 7);
  Requester c(Farm::local(), *find_dialect("openai-chat"), "m", 8);
  const std::string first = a.make({})->request_id;
  EXPECT_EQ(first, b.make({})->request_id);
  EXPECT_NE(first, c.make({})->request_id);
  EXPECT_NE(first, a.make({})->request_id);
  EXPECT_THAT(first, testing::MatchesRegex("tokprobe-[0-9a-f]+-1"));
}

}  // namespace
}  // namespace tokprobe
