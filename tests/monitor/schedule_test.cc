#include "monitor/daemon/schedule.h"

#include <gmock/gmock.h>

#include <random>
#include <set>
#include <string>

namespace tokprobe {
namespace {

using namespace std::chrono_literals;

Time at(Duration d) { return Time(d); }

TEST(Schedule, IsAFixedGrid) {
  const Schedule s{60s, 7s};
  EXPECT_EQ(s.next_due(at(0s)), at(7s));
  EXPECT_EQ(s.next_due(at(7s) - 1ns), at(7s));
  EXPECT_EQ(s.next_due(at(7s)), at(67s)) << "the slot itself is over";
  EXPECT_EQ(s.next_due(at(8s)), at(67s));
  EXPECT_EQ(s.next_due(at(100h)), at(100h + 7s));
}

TEST(Schedule, CountsTheSlotsAfterTheFirstTimeUpToTheSecond) {
  const Schedule s{60s, 7s};
  EXPECT_EQ(s.slots_between(at(7s), at(7s)), 0);
  EXPECT_EQ(s.slots_between(at(6s), at(7s)), 1);
  EXPECT_EQ(s.slots_between(at(7s), at(67s) - 1ns), 0);
  EXPECT_EQ(s.slots_between(at(7s), at(67s)), 1);
  EXPECT_EQ(s.slots_between(at(0s), at(1h)), 60);
}

// Random intervals, phases and times, the same ones at every run of the test.
class SchedulesAtRandom : public ::testing::Test {
 protected:
  Duration below(Duration bound) {
    return Duration(
        static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound.count())));
  }
  Schedule schedule() {
    const Duration interval = 1s + below(6h);
    return {interval, below(interval)};
  }
  std::mt19937_64 random_{7};
};

TEST_F(SchedulesAtRandom, TheNextSlotIsOnTheGridLaterAndNotMoreThanAnIntervalAway) {
  for (int i = 0; i < 5000; ++i) {
    const Schedule s = schedule();
    const Time now = at(below(24h * 3650));
    const Time next = s.next_due(now);
    ASSERT_GT(next, now);
    ASSERT_LE(next - now, std::max(s.interval, s.phase));
    ASSERT_EQ((next.time_since_epoch() - s.phase) % s.interval, Duration(0));
    ASSERT_EQ(s.next_due(next - 1ns), next);
    ASSERT_EQ(s.next_due(next), next + s.interval) << "no slot is caught up, none is lost";
  }
}

TEST_F(SchedulesAtRandom, SlotsBetweenAddUpAndAreWhatSteppingCounts) {
  for (int i = 0; i < 500; ++i) {
    const Schedule s = schedule();
    const Time from = at(below(24h));
    const Time to = from + below(20 * s.interval);
    const Time middle = from + below(to - from + 1ns);
    long stepped = 0;
    for (Time t = s.next_due(from); t <= to; t = s.next_due(t)) ++stepped;
    ASSERT_EQ(s.slots_between(from, to), stepped);
    ASSERT_EQ(s.slots_between(from, middle) + s.slots_between(middle, to), stepped);
  }
}

TEST_F(SchedulesAtRandom, TheFirstRunComesSoonOrOnTheGrid) {
  for (int i = 0; i < 5000; ++i) {
    const Schedule s = schedule();
    const Time now = at(below(24h));
    const Time never = first_due(s, now, Duration(-1));
    ASSERT_GE(never, now);
    ASSERT_LT(never - now, kStartSpread);
    ASSERT_LT(never - now, s.interval);
    const Duration age = below(2 * s.interval);
    const Time restarted = first_due(s, now, age);
    ASSERT_EQ(restarted, age < s.interval ? s.next_due(now) : never);
  }
}

TEST(MakeSchedule, ThePhaseOfANameNeverChanges) {
  EXPECT_EQ(make_schedule("qwen-prod", "speed", 5min).phase, Duration(297'134'029'946));
  EXPECT_EQ(make_schedule("qwen-prod", "heartbeat", 1min).phase, Duration(54'069'498'554));
  EXPECT_EQ(make_schedule("", "", 1s).phase, Duration(635'664'682));
}

TEST(MakeSchedule, ThePhasesOfSimilarNamesAreSpread) {
  // With 200 names in 20 buckets 10 are expected in each: from 1 to 25 is generous.
  std::array<int, 20> buckets{};
  std::set<Duration> different;
  for (int i = 0; i < 200; ++i) {
    const Duration phase = make_schedule("host" + std::to_string(i), "speed", 5min).phase;
    ASSERT_GE(phase, Duration(0));
    ASSERT_LT(phase, Duration(5min));
    different.insert(phase);
    ++buckets[static_cast<std::size_t>(phase / 15s)];
  }
  EXPECT_EQ(different.size(), 200U);
  for (const int count : buckets) {
    EXPECT_GE(count, 1);
    EXPECT_LE(count, 25);
  }
}

TEST(MakeSchedule, TellsTargetAndProbeApart) {
  EXPECT_NE(make_schedule("ab", "c", 1h).phase, make_schedule("a", "bc", 1h).phase);
  EXPECT_NE(make_schedule("a", "b", 1h).phase, make_schedule("b", "a", 1h).phase);
}

TEST(FirstDue, AnIntervalShorterThanTheSpreadIsTheLimit) {
  const Schedule s{2s, 1999ms};
  EXPECT_EQ(first_due(s, at(1h), Duration(-1)), at(1h) + 1999ms);
}

TEST(FirstDue, ALastRunJustNowWaitsForTheGridAndAnOldOneDoesNot) {
  const Schedule s{1h, 30min};
  EXPECT_EQ(first_due(s, at(100h), 0s), at(100h + 30min));
  EXPECT_EQ(first_due(s, at(100h), 1h - 1ns), at(100h + 30min));
  EXPECT_LT(first_due(s, at(100h), 1h), at(100h + 10s));
}

}  // namespace
}  // namespace tokprobe
