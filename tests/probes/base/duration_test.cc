#include <gmock/gmock.h>

#include "probes/base/random.h"
#include "probes/base/text.h"

namespace tokprobe {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(ParseDuration, ReadsEveryUnit) {
  EXPECT_EQ(*parse_duration("7ns"), 7ns);
  EXPECT_EQ(*parse_duration("7us"), 7us);
  EXPECT_EQ(*parse_duration("300ms"), 300ms);
  EXPECT_EQ(*parse_duration("5s"), 5s);
  EXPECT_EQ(*parse_duration("2m"), 2min);
  EXPECT_EQ(*parse_duration("6h"), 6h);
  EXPECT_EQ(*parse_duration("1d"), 24h);
  EXPECT_EQ(*parse_duration("0s"), 0s);
}

TEST(ParseDuration, ReadsDecimals) {
  EXPECT_EQ(*parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(*parse_duration("0.25m"), 15s);
  EXPECT_EQ(*parse_duration("0.1s"), 100ms);
  EXPECT_EQ(*parse_duration("0.0001ms"), 100ns);
}

TEST(ParseDuration, RefusesWhatIsNoDuration) {
  for (const std::string_view bad :
       {"",     " ",   "5",      "5 s",  " 5s",   "5s ",    "s",    "ms",  "-1s",
        "-0s",  "+5s", "5S",     "5sec", "5 min", "1m30s",  "infs", "inf", "-infs",
        "nans", "nan", "1e400s", "0x5s", "1,5s",  "1.2.3s", "5\ns"}) {
    const auto parsed = parse_duration(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_THAT(parsed.error(), HasSubstr("is not a duration")) << bad;
  }
  EXPECT_FALSE(parse_duration(std::string_view("5s\0", 3)));
}

TEST(ParseDuration, RefusesWhatDoesNotFit) {
  EXPECT_TRUE(parse_duration("10000d"));
  for (const std::string_view bad : {"10500d", "1e300s", "99999999999999999999d"}) {
    const auto parsed = parse_duration(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_THAT(parsed.error(), HasSubstr("too long")) << bad;
  }
}

TEST(ParseDuration, NamesTheTextInItsMessageWithinBounds) {
  EXPECT_EQ(parse_duration("5\x1Bsec").error(),
            "'5 sec' is not a duration; write 300ms, 5s, 2m or 6h");
  EXPECT_LT(parse_duration(std::string(5000, 'x')).error().size(), 120U);
}

TEST(FormatDuration, TakesTheLargestUnitThatDivides) {
  EXPECT_EQ(format_duration(0ns), "0s");
  EXPECT_EQ(format_duration(90s), "90s");
  EXPECT_EQ(format_duration(300s), "5m");
  EXPECT_EQ(format_duration(60min), "1h");
  EXPECT_EQ(format_duration(24h), "1d");
  EXPECT_EQ(format_duration(1500ms), "1500ms");
  EXPECT_EQ(format_duration(1ns), "1ns");
  EXPECT_EQ(format_duration(1001us), "1001us");
}

TEST(FormatDuration, IsReadBackUnchanged) {
  Random random(7);
  constexpr std::array<std::int64_t, 7> kUnits{
      1, 1'000, 1'000'000, 1'000'000'000, 60'000'000'000, 3'600'000'000'000, 86'400'000'000'000};
  for (const std::int64_t unit : kUnits) {
    for (int i = 0; i < 200; ++i) {
      const Duration d(static_cast<std::int64_t>(random.below(10'000)) * unit);
      const auto parsed = parse_duration(format_duration(d));
      ASSERT_TRUE(parsed) << format_duration(d);
      EXPECT_EQ(*parsed, d);
    }
  }
}

}  // namespace
}  // namespace tokprobe
