#include "tests/sim/engine.h"

#include <gmock/gmock.h>

namespace tokprobe_sim {
namespace {

using testing::Contains;
using testing::UnorderedElementsAre;

EngineParams params(double ttft, const char* decode) {
  EngineParams p;
  p.ttft = ttft;
  EXPECT_EQ(DecodeCurve::parse(decode, p.decode), "");
  return p;
}

Work work(uint64_t id, int tokens) {
  Work w;
  w.id = id;
  w.output_tokens = tokens;
  return w;
}

TEST(Engine, KeepsAnAbsoluteScheduleForOneUser) {
  Engine engine(params(0.32, "1:73.5,2:70.8,16:40"));
  engine.submit(work(1, 500), 1000.0);
  EXPECT_NEAR(*engine.due(1, 0), 1000.32, 1e-9);
  EXPECT_NEAR(*engine.due(1, 250), 1000.32 + 250 / 73.5, 1e-9);
  EXPECT_NEAR(*engine.next_time(), 1000.32 + 499 / 73.5, 1e-9);
  engine.step(1004.0);
  EXPECT_NEAR(*engine.due(1, 499), 1000.32 + 499 / 73.5, 1e-9);
}

TEST(Engine, GivesThePublishedThroughput) {
  for (const auto& [users, ttft, rate, expected] :
       {std::tuple{1, 0.32, 73.5, 70.2}, std::tuple{2, 0.20, 70.8, 137.7}}) {
    Engine engine(params(ttft, "1:73.5,2:70.8,16:40"));
    double end = 0;
    uint64_t id = 0;
    for (int round = 0; round < 2; ++round) {
      const double start = end;
      for (int user = 0; user < users; ++user) engine.submit(work(++id, 500), start);
      end = *engine.due(id, 499);
      EXPECT_NEAR(end - start, ttft + 499 / rate, 1e-9);
      engine.step(end);
    }
    EXPECT_NEAR(users * 2 * 500 / end, expected, expected * 0.003);
  }
}

TEST(Engine, IntegratesAChangingRate) {
  Engine engine(params(0.0, "1:100,2:50"));
  engine.submit(work(1, 101), 0.0);
  engine.submit(work(2, 11), 0.5);
  // 50 tokens in the first half second, then 50/s until request 2 ends and the batch settles.
  EXPECT_NEAR(*engine.due(1, 60), 0.7, 1e-9);
  EXPECT_NEAR(*engine.due(2, 10), 0.7, 1e-9);
  engine.step(0.9);
  EXPECT_EQ(engine.running(), 1);
  EXPECT_NEAR(*engine.due(1, 100), 0.75 + (100 - 62.5) / 100, 1e-9);
}

TEST(Engine, DoesNotDependOnHowOftenItIsStepped) {
  Engine often(params(0.01, "1:100,4:30"));
  Engine once = often;
  for (Engine* engine : {&often, &once}) {
    engine->submit(work(1, 200), 0.0);
    engine->submit(work(2, 20), 0.1);
  }
  for (int i = 0; i < 3000; ++i) often.step(i * 0.001);
  once.step(3.0);
  EXPECT_NEAR(*often.due(1, 199), *once.due(1, 199), 1e-9);
}

TEST(Engine, HoldsTheRateWhenADepartureIsReplacedInTime) {
  Engine engine(params(0.1, "1:100,2:50"));
  engine.submit(work(1, 1000), 0.0);
  engine.submit(work(2, 11), 0.0);
  const double end = *engine.due(2, 10);
  engine.step(end);
  engine.submit(work(3, 11), end + 0.03);
  EXPECT_NEAR(*engine.due(1, 999), 0.1 + 999 / 50.0, 1e-9);
}

TEST(Engine, QueuesBeyondTheCapInOrder) {
  EngineParams p = params(0.1, "1:100");
  p.max_running = 1;
  Engine engine(p);
  engine.submit(work(1, 11), 0.0);
  engine.submit(work(2, 11), 0.01);
  engine.submit(work(3, 11), 0.02);
  EXPECT_EQ(engine.waiting(), 2);
  EXPECT_EQ(engine.due(2, 0), std::nullopt);
  engine.take_woken();
  engine.step(0.25);
  EXPECT_THAT(engine.take_woken(), Contains(2));
  EXPECT_NEAR(*engine.due(2, 0), 0.3, 1e-9);
  EXPECT_NEAR(engine.placement(2)->admitted, 0.2, 1e-9);
  engine.release(2, 0.25);  // the client went away: the next takes its place at once
  EXPECT_NEAR(engine.placement(3)->admitted, 0.25, 1e-9);
  EXPECT_EQ(engine.waiting(), 0);
}

TEST(Engine, PrefillsOnePromptAfterTheOther) {
  EngineParams p = params(0.1, "1:100");
  p.prefill_rate = 1000;
  Engine engine(p);
  for (uint64_t id = 1; id <= 3; ++id) {
    Work w = work(id, 10);
    w.prefill_tokens = 500;
    engine.submit(w, 0.0);
  }
  EXPECT_NEAR(*engine.due(1, 0), 0.6, 1e-9);
  EXPECT_NEAR(*engine.due(3, 0), 1.6, 1e-9);
  engine.take_woken();
  engine.release(1, 0.2);  // 0.3 s of its prefill were still to come
  EXPECT_NEAR(*engine.due(2, 0), 0.8, 1e-9);
  EXPECT_NEAR(*engine.due(3, 0), 1.3, 1e-9);
  EXPECT_THAT(engine.take_woken(), UnorderedElementsAre(2, 3));
}

TEST(Engine, CountsFromTheArrivalOfARequestThatIsHandedOverLate) {
  Engine engine(params(0.1, "1:100"));
  engine.submit(work(1, 10), 5.0);
  engine.step(5.01);
  engine.submit(work(2, 10), 5.005);
  EXPECT_NEAR(*engine.due(2, 0), 5.105, 1e-9);
  EXPECT_NEAR(*engine.due(2, 9), 5.195, 1e-9);
}

TEST(Engine, KeepsThePlaceOfAHeldRequest) {
  Engine engine(params(0.1, "1:100"));
  Work w = work(1, 5);
  w.hold = true;
  engine.submit(w, 0.0);
  engine.step(100.0);
  EXPECT_EQ(engine.running(), 1);
  EXPECT_EQ(engine.next_time(), std::nullopt);
  engine.release(1, 100.0);
  EXPECT_EQ(engine.running(), 0);
}

TEST(Engine, JitterKeepsTheOrderAndDoesNotAddUp) {
  EngineParams p = params(0.1, "1:100");
  p.jitter = 0.5;
  Engine engine(p);
  engine.submit(work(1, 1000), 0.0);
  const double first = *engine.due(1, 0);
  EXPECT_GE(first, 0.05);
  EXPECT_LE(first, 0.15);
  for (int k = 1; k < 1000; ++k) EXPECT_GE(*engine.due(1, k), *engine.due(1, k - 1));
  const double half = (*engine.due(1, 500) - first) / 500;
  EXPECT_NEAR((*engine.due(1, 999) - first) / 999, half, half * 0.002);
}

TEST(Engine, TakesNewParametersOnTheWay) {
  Engine engine(params(0.0, "1:100"));
  engine.submit(work(1, 101), 0.0);
  engine.set_params(params(0.0, "1:50"), 0.5);
  EXPECT_NEAR(*engine.due(1, 100), 0.5 + 1.0, 1e-9);
}

TEST(Engine, CountsTheTokensOfRunningRequests) {
  Engine engine(params(1.0, "1:100"));
  Work w = work(1, 100);
  w.context_tokens = 1000;
  engine.submit(w, 0.0);
  EXPECT_NEAR(engine.kv_tokens(0.5), 1000, 1e-9);
  EXPECT_NEAR(engine.kv_tokens(1.5), 1050, 1e-9);
}

TEST(DecodeCurve, InterpolatesBetweenPointsAndIsConstantBeyond) {
  DecodeCurve curve;
  ASSERT_EQ(DecodeCurve::parse("2:70,4:60", curve), "");
  EXPECT_EQ(curve.at(1), 70);
  EXPECT_EQ(curve.at(3), 65);
  EXPECT_EQ(curve.at(99), 60);
  EXPECT_EQ(curve.text(), "2:70,4:60");
  ASSERT_EQ(DecodeCurve::parse("73.5", curve), "");
  EXPECT_EQ(curve.at(7), 73.5);
}

TEST(DecodeCurve, RefusesNonsense) {
  for (const char* text : {"", "abc", "1:", ":5", "0:5", "1:5,1:6", "2:5,1:6", "1:-5", "1:0",
                           "1:5,", "1:inf", "5,6"}) {
    DecodeCurve curve;
    EXPECT_NE(DecodeCurve::parse(text, curve), "") << text;
  }
}

}  // namespace
}  // namespace tokprobe_sim
