#include "probes/retry_after.h"

#include <gmock/gmock.h>

namespace tokprobe {
namespace {

using testing::Optional;

const WallTime kNow{std::chrono::seconds(784'111'777)};  // Sun, 06 Nov 1994 08:49:37 GMT

TEST(RetryAfter, ReadsANumberOfSeconds) {
  EXPECT_THAT(parse_retry_after("120", kNow), Optional(120.0));
  EXPECT_THAT(parse_retry_after(" 7 \r", kNow), Optional(7.0));
  EXPECT_THAT(parse_retry_after("0", kNow), Optional(0.0));
  EXPECT_THAT(parse_retry_after("0005", kNow), Optional(5.0));
}

TEST(RetryAfter, ReadsADate) {
  EXPECT_THAT(parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", kNow), Optional(0.0));
  EXPECT_THAT(parse_retry_after("Sun, 06 Nov 1994 08:50:37 GMT", kNow), Optional(60.0));
  EXPECT_THAT(parse_retry_after("Mon, 07 Nov 1994 08:49:37 GMT", kNow), Optional(86'400.0));
}

TEST(RetryAfter, IsNeverNegative) {
  EXPECT_THAT(parse_retry_after("Sun, 06 Nov 1994 08:49:36 GMT", kNow), Optional(0.0));
  EXPECT_THAT(parse_retry_after("Thu, 01 Jan 1970 00:00:00 GMT", kNow), Optional(0.0));
}

TEST(RetryAfter, SaysNothingOfNonsense) {
  for (const char* bad :
       {"", " ", "soon", "-1", "+1", "1.5", "1e3", "120s", "1 2", "99999999999999999999999",
        "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 06 Nov 1994 08:49:37 GMT x", "Sun, 06 Nov 1994 25:00:00 GMT"}) {
    EXPECT_EQ(parse_retry_after(bad, kNow), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace tokprobe
