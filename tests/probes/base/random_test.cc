#include "probes/base/random.h"

#include <gmock/gmock.h>

#include <set>

namespace tokprobe {
namespace {

// Published values of SplitMix64: prompts and phases must be the same in every version.
TEST(Random, GivesThePublishedSequence) {
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317ULL);
  EXPECT_EQ(random.next(), 3203168211198807973ULL);
  EXPECT_EQ(random.next(), 9817491932198370423ULL);
  EXPECT_EQ(random.next(), 4593380528125082431ULL);
  EXPECT_EQ(random.next(), 16408922859458223821ULL);
  EXPECT_EQ(Random(0).next(), 0xE220A8397B1DCDAFULL);
}

TEST(Random, StaysBelowTheBound) {
  Random random(1);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const auto value = random.below(7);
    ASSERT_LT(value, 7U);
    seen.insert(value);
  }
  EXPECT_EQ(seen.size(), 7U);
  EXPECT_EQ(random.below(1), 0U);
}

TEST(RandomSeed, Differs) { EXPECT_NE(random_seed(), random_seed()); }

}  // namespace
}  // namespace tokprobe
