#include "probes/prompts/prompt.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "probes/prompts/words.h"

namespace tokprobe {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

std::string nonce_of(const std::string& prompt) {
  const auto words = words_of(prompt);
  std::string nonce;
  for (std::size_t i = 0; i < 5; ++i) nonce += words.at(i) + " ";
  return nonce;
}

TEST(PromptMaker, GivesTheSamePromptsForTheSameSeed) {
  PromptMaker a(42);
  PromptMaker b(42);
  for (const int words : {5, 100, 7, 1000}) EXPECT_EQ(a.next(words), b.next(words));
}

TEST(PromptMaker, GivesOtherPromptsForAnotherSeed) {
  EXPECT_NE(PromptMaker(1).next(50), PromptMaker(2).next(50));
}

TEST(PromptMaker, BeginsEveryPromptDifferently) {
  std::set<std::string> nonces;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    PromptMaker maker(seed);
    for (int i = 0; i < 500; ++i) EXPECT_TRUE(nonces.insert(nonce_of(maker.next(60))).second);
  }
}

TEST(PromptMaker, HasTheAskedNumberOfWords) {
  PromptMaker maker(3);
  for (const int words : {5, 6, 10, 39, 40, 41, 100, 1000, 20'000}) {
    EXPECT_EQ(words_of(maker.next(words)).size(), static_cast<std::size_t>(words)) << words;
  }
}

TEST(PromptMaker, IsNeverShorterThanItsNonce) {
  PromptMaker maker(3);
  for (const int words : {4, 1, 0, -1, -1000}) EXPECT_EQ(words_of(maker.next(words)).size(), 5U);
}

TEST(PromptMaker, AsksForAStoryWhenThereIsRoom) {
  PromptMaker maker(3);
  EXPECT_THAT(maker.next(39), Not(HasSubstr("story in")));
  EXPECT_THAT(maker.next(40), HasSubstr(". Go on with this story in as many plain English words"));
}

TEST(PromptMaker, UsesTheWholeListAboutEvenly) {
  PromptMaker maker(9);
  const auto words = words_of(maker.next(51'200));
  std::set<std::string> seen(words.begin(), words.end());
  EXPECT_GE(seen.size(), kWords.size());
  EXPECT_LT(std::count(words.begin(), words.end(), "about"), 200);  // 100 is the mean
}

TEST(Words, AreDistinctLowerCaseWords) {
  std::set<std::string_view> seen;
  for (const std::string_view word : kWords) {
    EXPECT_TRUE(seen.insert(word).second) << word;
    EXPECT_FALSE(word.empty());
    EXPECT_EQ(word.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), std::string_view::npos) << word;
  }
}

}  // namespace
}  // namespace tokprobe
