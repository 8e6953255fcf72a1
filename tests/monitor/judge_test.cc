#include "monitor/judge/judge.h"

#include <gmock/gmock.h>

#include <cmath>

namespace tokprobe {
namespace {

using ::testing::FloatNear;

constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
// A Monday, 00:00 UTC.
constexpr double kMonday = 1704067200;

constexpr std::size_t at(Judged m) { return static_cast<std::size_t>(m); }
constexpr std::size_t at(Window w) { return static_cast<std::size_t>(w); }
float ratio(const Judgement& j, Window w, Judged m = Judged::kThroughput) {
  return j.ratios[at(w)][at(m)];
}
float expected(const Judgement& j, Judged m = Judged::kThroughput) { return j.expected[at(m)]; }

/// A server whose speed falls with the number running: 100 - 2 * running tok/s, TTFT 0.1 s and 10
/// ms for each one running. Small waves in place of noise, so that a test says the same every time.
class Server {
 public:
  Sample run(double time, float running, float factor = 1, float waiting = 0) {
    const float wave = 1 + 0.01F * static_cast<float>(std::sin(static_cast<double>(++count_)));
    const float speed = (100 - 2 * running) * factor * wave;
    return {time, running, waiting, {speed, (0.1F + 0.01F * running) / factor, 1 / speed}};
  }

 private:
  int count_ = 0;
};

class JudgeTest : public ::testing::Test {
 protected:
  /// Runs `every_` apart for so long, at loads from 0 to 9, each load for ten minutes.
  Judgement runs(double length, float factor = 1, const std::string& identity = "v1") {
    Judgement last;
    for (const double end = now_ + length; now_ < end; now_ += every_) {
      const auto running = static_cast<float>(static_cast<int>(now_ / (10 * kMinute)) % 10);
      last = judge_.admit(server_.run(now_, running, factor), identity);
    }
    return last;
  }
  Judgement look(float running, float waiting = 0) const {
    return judge_.judgement({now_, running, waiting});
  }

  double now_ = kMonday;
  double every_ = kMinute;
  Server server_;
  Judge judge_;
};

TEST_F(JudgeTest, SaysNothingBeforeItHasSeenEnough) {
  const Judgement early = runs(kHour);
  EXPECT_TRUE(std::isnan(expected(early)));
  EXPECT_TRUE(std::isnan(ratio(early, Window::kRecent)));
  EXPECT_EQ(early.samples, 0U);
}

TEST_F(JudgeTest, ExpectsWhatWasMeasuredAtTheSameLoad) {
  runs(kDay);
  for (const float running : {1.0F, 5.0F, 8.0F}) {
    EXPECT_NEAR(expected(look(running)), 100 - 2 * running, 1.5) << running;
    EXPECT_NEAR(expected(look(running), Judged::kTtft), 0.1 + 0.01 * running, 0.002) << running;
    EXPECT_NEAR(expected(look(running), Judged::kTpot), 1 / (100 - 2 * running), 0.001) << running;
  }
}

TEST_F(JudgeTest, ARatioTurnsSoThatLessIsWorseForEveryMeasure) {
  runs(kDay);
  const Judgement slow = runs(kHour, 0.5F);
  for (const Judged m : {Judged::kThroughput, Judged::kTtft, Judged::kTpot}) {
    EXPECT_THAT(ratio(slow, Window::kRecent, m), FloatNear(0.5F, 0.02F));
  }
}

TEST_F(JudgeTest, TheLastHourIsLeftOut) {
  runs(kDay);
  const std::size_t before = look(3).samples;
  EXPECT_NEAR(static_cast<double>(before), (kDay - kHour) / kMinute, 15);
}

TEST_F(JudgeTest, TheRecentWindowHoldsHalfAnHour) {
  runs(kDay);
  EXPECT_GT(ratio(runs(14 * kMinute, 0.5F), Window::kRecent), 0.9F);
  EXPECT_LT(ratio(runs(3 * kMinute, 0.5F), Window::kRecent), 0.6F);
}

TEST_F(JudgeTest, TheTrendWindowHoldsFourHours) {
  runs(kDay);
  EXPECT_GT(ratio(runs(110 * kMinute, 0.5F), Window::kTrend), 0.9F);
  EXPECT_LT(ratio(runs(20 * kMinute, 0.5F), Window::kTrend), 0.6F);
}

TEST_F(JudgeTest, AProbeAnHourIsJudgedByItsLastFiveRuns) {
  Judgement last;
  for (int i = 0; i < 60; ++i, now_ += kHour) last = judge_.admit(server_.run(now_, 2), "v1");
  EXPECT_THAT(ratio(last, Window::kRecent), FloatNear(1, 0.02F));
  for (int i = 0; i < 3; ++i, now_ += kHour) last = judge_.admit(server_.run(now_, 2, 0.5F), "v1");
  EXPECT_LT(ratio(last, Window::kRecent), 0.6F);
}

TEST_F(JudgeTest, ASlowServerNeverBecomesTheReference) {
  every_ = 5 * kMinute;
  runs(2 * kDay);
  const Judgement later = runs(20 * kDay, 0.8F);
  EXPECT_THAT(ratio(later, Window::kRecent), FloatNear(0.8F, 0.02F));
  EXPECT_THAT(ratio(later, Window::kTrend), FloatNear(0.8F, 0.02F));
  EXPECT_THAT(ratio(runs(5 * kHour), Window::kTrend), FloatNear(1, 0.02F));
}

TEST_F(JudgeTest, ALittleSlowerEveryDayIsSeenAgainstTheMonth) {
  every_ = 5 * kMinute;
  runs(8 * kDay);
  Judgement last;
  float factor = 1;
  for (int day = 0; day < 10; ++day) last = runs(kDay, factor *= 0.99F);
  EXPECT_GT(ratio(last, Window::kTrend), 0.95F);
  EXPECT_LT(ratio(last, Window::kMonth), 0.93F);
}

TEST_F(JudgeTest, TheMonthIsComparedWithTheSameLoad) {
  every_ = 5 * kMinute;
  runs(12 * kDay);
  EXPECT_THAT(ratio(look(2), Window::kMonth), FloatNear(1, 0.02F));
}

TEST_F(JudgeTest, AnEmptyBinBorrowsFromTheNearest) {
  runs(kDay);
  EXPECT_NEAR(expected(look(11)), 100 - 2 * 9, 3);
}

TEST_F(JudgeTest, AnEmptierServerIsNoMeasureForANewPeak) {
  for (const double end = now_ + kDay; now_ < end; now_ += kMinute) {
    judge_.admit(server_.run(now_, 1), "v1");
  }
  EXPECT_TRUE(std::isnan(expected(look(20))));
  EXPECT_NEAR(expected(look(0)), 98, 1) << "a fuller one is: it expects too little at most";
  for (const double end = now_ + kDay; now_ < end; now_ += kMinute) {
    judge_.admit(server_.run(now_, 20), "v1");
  }
  EXPECT_NEAR(expected(look(20)), 60, 1) << "it was learned";
}

TEST_F(JudgeTest, AFullServerIsNotJudgedByItsTtft) {
  runs(kDay);
  const Judgement full = look(9, 4);
  EXPECT_TRUE(std::isnan(expected(full, Judged::kTtft)));
  EXPECT_TRUE(std::isnan(expected(full, Judged::kThroughput)))
      << "no run of a full server is known";
  EXPECT_NEAR(expected(full, Judged::kTpot), 1.0 / (100 - 2 * 9), 0.001);
}

TEST_F(JudgeTest, AFullServerIsComparedWithRunsOfAFullServer) {
  runs(kDay);
  for (const double end = now_ + kDay; now_ < end; now_ += kMinute) {
    judge_.admit(server_.run(now_, 9, 1, 3), "v1");
  }
  EXPECT_NEAR(expected(look(9, 7)), 100 - 2 * 9, 2);
}

TEST_F(JudgeTest, WithoutLoadTheTimeOfDayTells) {
  // Half as fast from 9 to 17 on working days.
  const auto unloaded = [this](double length) {
    Judgement last;
    for (const double end = now_ + length; now_ < end; now_ += kMinute) {
      const double hour = std::fmod(now_, kDay) / kHour;
      const bool working = std::fmod((now_ - kMonday) / kDay, 7) < 5;
      Sample s = server_.run(now_, 0, working && hour >= 9 && hour < 17 ? 0.5F : 1);
      s.running = s.waiting = kUnknown;
      last = judge_.admit(s, "v1");
    }
    return last;
  };
  unloaded(7 * kDay + 12 * kHour);
  EXPECT_NEAR(expected(judge_.judgement({now_, kUnknown, kUnknown})), 50, 2);
  EXPECT_NEAR(expected(judge_.judgement({now_ + 8 * kHour, kUnknown, kUnknown})), 100, 3);
  const double saturday = kMonday + 12 * kDay + 12 * kHour;
  EXPECT_NEAR(expected(judge_.judgement({saturday, kUnknown, kUnknown})), 100, 3);
}

TEST_F(JudgeTest, AChangedServerIsNoReferenceByItself) {
  runs(2 * kDay);
  const std::size_t before = look(3).samples;
  runs(8 * kDay, 0.95F, "v2");
  EXPECT_EQ(judge_.memory().trial, "v2");
  EXPECT_LE(look(3).samples, before + 61) << "only what was waiting from before the change";
  EXPECT_NEAR(expected(look(3)), 94, 2);
}

TEST_F(JudgeTest, AChangedServerThatIsAsFastIsTakenAfterSixtyRuns) {
  runs(2 * kDay);
  runs(58 * kMinute, 1, "v2");
  EXPECT_EQ(judge_.memory().identity, "v1");
  runs(3 * kMinute, 1, "v2");
  EXPECT_EQ(judge_.memory().identity, "v2");
  EXPECT_EQ(judge_.memory().trial, "");
  EXPECT_NEAR(expected(look(3)), 94, 2);
}

TEST_F(JudgeTest, AFasterServerRaisesWhatIsExpectedAtEveryLoad) {
  runs(2 * kDay);
  runs(65 * kMinute, 1.3F, "v2");
  EXPECT_EQ(judge_.memory().identity, "v2");
  for (const float running : {1.0F, 9.0F}) {
    EXPECT_NEAR(expected(look(running)), 1.3 * (100 - 2 * running), 4) << running;
  }
  EXPECT_THAT(ratio(runs(kHour, 1.3F, "v2"), Window::kRecent), FloatNear(1, 0.03F));
}

TEST_F(JudgeTest, GoingBackToTheOldServerEndsTheTrial) {
  runs(2 * kDay);
  runs(kHour / 2, 0.8F, "v2");
  runs(kHour, 1, "v1");
  EXPECT_EQ(judge_.memory().trial, "");
  EXPECT_EQ(judge_.memory().identity, "v1");
}

TEST_F(JudgeTest, AnUnknownIdentityChangesNothing) {
  runs(2 * kDay);
  runs(kHour, 1, "");
  EXPECT_EQ(judge_.memory().identity, "v1");
  EXPECT_EQ(judge_.memory().trial, "");
}

TEST_F(JudgeTest, AcceptingMovesTheReferenceAndKeepsItsShape) {
  every_ = 5 * kMinute;
  runs(9 * kDay);
  runs(5 * kHour, 0.8F, "v2");
  ASSERT_TRUE(judge_.accept());
  EXPECT_EQ(judge_.memory().identity, "v2");
  for (const float running : {1.0F, 9.0F}) {
    EXPECT_NEAR(expected(look(running)), 0.8 * (100 - 2 * running), 2) << running;
  }
  const Judgement after = look(3);
  EXPECT_THAT(ratio(after, Window::kRecent), FloatNear(1, 0.02F));
  EXPECT_THAT(ratio(after, Window::kTrend), FloatNear(1, 0.03F));
  EXPECT_THAT(ratio(runs(4 * kDay, 0.8F, "v2"), Window::kMonth), FloatNear(1, 0.03F));
}

TEST_F(JudgeTest, ThereIsNothingToAcceptBeforeAnythingWasJudged) {
  EXPECT_FALSE(judge_.accept());
  runs(kHour / 2);
  EXPECT_FALSE(judge_.accept());
}

TEST_F(JudgeTest, AnAgentThatWasOffKeepsItsReference) {
  runs(3 * kDay);
  now_ += 30 * kDay;
  const Judgement back = runs(2 * kHour);
  EXPECT_NEAR(expected(look(3)), 94, 2);
  EXPECT_THAT(ratio(back, Window::kRecent), FloatNear(1, 0.02F));
}

TEST_F(JudgeTest, AClockThatWasAYearAheadBlocksNothing) {
  runs(2 * kDay);
  const double right = now_;
  now_ += 365 * kDay;
  runs(2 * kHour);
  now_ = right;
  const Judgement back = runs(5 * kHour);
  EXPECT_NEAR(expected(look(3)), 94, 2);
  EXPECT_THAT(ratio(back, Window::kTrend), FloatNear(1, 0.02F));
  EXPECT_LT(ratio(runs(kHour / 2, 0.5F), Window::kRecent), 0.6F);
}

TEST_F(JudgeTest, ItsMemoryIsBounded) {
  runs(9 * kDay);
  every_ = kHour;
  runs(50 * kDay);
  EXPECT_LE(judge_.memory().reference.size(), 7 * 1440 + 1U);
  EXPECT_LE(judge_.memory().verdicts.size(), 1441U);
  EXPECT_LE(judge_.memory().waiting.size(), 61U);
  EXPECT_LE(judge_.memory().snapshots.size(), 30U);
}

TEST(JudgeTimes, AScaleShortensEverySpanAndNoCount) {
  const JudgeTimes times = JudgeTimes().scaled(60);
  EXPECT_DOUBLE_EQ(times.reference, 7 * 86400.0 / 60);
  EXPECT_DOUBLE_EQ(times.left_out, 60);
  EXPECT_DOUBLE_EQ(times.windows[at(Window::kRecent)].seconds, 30);
  EXPECT_EQ(times.windows[at(Window::kRecent)].runs, 5U);
}

}  // namespace
}  // namespace tokprobe
