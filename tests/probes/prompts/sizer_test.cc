#include "probes/prompts/sizer.h"

#include <gmock/gmock.h>

#include <cmath>

#include "probes/base/random.h"

namespace tokprobe {
namespace {

// A tokenizer as the sizer believes it to be: a fixed part and a rate.
struct Tokenizer {
  double overhead = 0;
  double rate = 1;
  std::int64_t count(int words) const { return std::llround(overhead + rate * words); }
};

TEST(PromptSizer, GuessesBeforeItKnows) {
  const PromptSizer sizer;
  EXPECT_FALSE(sizer.calibrated());
  EXPECT_EQ(sizer.words_for(1100), 1000);
  EXPECT_EQ(sizer.words_for(11), 10);
}

TEST(PromptSizer, AsksForOneWordAtLeast) {
  PromptSizer sizer;
  EXPECT_EQ(sizer.words_for(0), 1);
  EXPECT_EQ(sizer.words_for(-5), 1);
  sizer.observe(100, 150);
  sizer.observe(400, 450);
  EXPECT_EQ(sizer.words_for(20), 1);  // the overhead alone is longer
}

TEST(PromptSizer, TakesTheOverheadAsNothingAfterOneObservation) {
  PromptSizer sizer;
  sizer.observe(100, 200);
  EXPECT_TRUE(sizer.calibrated());
  EXPECT_EQ(sizer.words_for(1000), 500);
  EXPECT_EQ(sizer.words_for(200), 100);
}

TEST(PromptSizer, SeparatesOverheadAndRateAfterTwo) {
  PromptSizer sizer;
  sizer.observe(24, 30 + 48);
  sizer.observe(400, 30 + 800);
  EXPECT_EQ(sizer.words_for(2030), 1000);
  EXPECT_EQ(sizer.words_for(230), 100);
}

TEST(PromptSizer, PassesOverNonsense) {
  PromptSizer sizer;
  sizer.observe(0, 10);
  sizer.observe(-5, 10);
  sizer.observe(10, 0);
  sizer.observe(10, -3);
  sizer.observe(100, 33);  // less than a token for three words
  EXPECT_FALSE(sizer.calibrated());
  sizer.observe(99, 33);
  EXPECT_TRUE(sizer.calibrated());
}

TEST(PromptSizer, ReplacesAnObservationOfAboutTheSameLength) {
  PromptSizer sizer;
  sizer.observe(100, 100);
  sizer.observe(110, 220);  // within a tenth
  ASSERT_EQ(sizer.observations().size(), 1U);
  EXPECT_EQ(sizer.observations()[0].words, 110);
  EXPECT_EQ(sizer.words_for(400), 200);
  sizer.observe(124, 248);
  EXPECT_EQ(sizer.observations().size(), 2U);
}

TEST(PromptSizer, DoesNotFollowAFallingLine) {
  PromptSizer sizer;
  sizer.observe(100, 200);
  sizer.observe(400, 150);  // one of them must be wrong
  EXPECT_GE(sizer.words_for(210), 1);
  EXPECT_LE(sizer.words_for(210), 210);
}

TEST(PromptSizer, RemembersABoundedNumberOfLengths) {
  PromptSizer sizer;
  Random random(1);
  for (int i = 0; i < 10'000; ++i) {
    const int words = 1 + static_cast<int>(random.below(100'000));
    sizer.observe(words, words * 2);
  }
  EXPECT_LE(sizer.observations().size(), 8U);
}

TEST(PromptSizer, FindsTheLengthOfEveryPlausibleTokenizer) {
  for (const double overhead : {0.0, 7.0, 25.0, 60.0}) {
    for (const double rate : {0.5, 0.9, 1.0, 1.3, 2.0, 3.5, 5.0}) {
      for (const int target : {300, 1000, 8000, 100'000}) {
        const Tokenizer tokenizer{overhead, rate};
        PromptSizer sizer;
        for (const int words : {24, 400}) sizer.observe(words, tokenizer.count(words));
        // Learns from its own requests, as a run does.
        for (int i = 0; i < 2; ++i) {
          const int words = sizer.words_for(target);
          sizer.observe(words, tokenizer.count(words));
        }
        const auto got = static_cast<double>(tokenizer.count(sizer.words_for(target)));
        EXPECT_LE(std::abs(got - target), std::max(0.01 * target, rate))
            << overhead << " + " << rate << " a word, asked " << target;
      }
    }
  }
}

TEST(PromptSizer, StaysCloseWhenCountsVary) {
  Random random(5);
  const Tokenizer tokenizer{20, 1.25};
  PromptSizer sizer;
  for (int i = 0; i < 300; ++i) {
    const int target = i % 2 == 0 ? 500 : 4000;
    const int words = i == 0 ? 24 : i == 1 ? 400 : sizer.words_for(target);
    const double noise = 1 + (static_cast<double>(random.below(200)) - 100) / 20'000;  // 0.5 %
    const auto counted = std::llround(static_cast<double>(tokenizer.count(words)) * noise);
    sizer.observe(words, counted);
    if (i > 3) {
      EXPECT_NEAR(static_cast<double>(counted), target, 0.02 * target) << i;
    }
  }
}

TEST(PromptSizer, FollowsAServerThatChangesItsTokenizer) {
  PromptSizer sizer;
  const Tokenizer before{10, 1.0};
  const Tokenizer after{40, 2.0};
  for (const int words : {24, 400}) sizer.observe(words, before.count(words));
  for (int i = 0; i < 12; ++i) {
    const int words = sizer.words_for(1000);
    sizer.observe(words, after.count(words));
  }
  EXPECT_NEAR(static_cast<double>(after.count(sizer.words_for(1000))), 1000, 10);
}

}  // namespace
}  // namespace tokprobe
