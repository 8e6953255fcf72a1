#include "probes/base/text.h"

#include <gmock/gmock.h>

#include <array>

namespace tokprobe {
namespace {

using testing::Optional;

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

TEST(Utf8, AcceptsWhatIsWellFormed) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("plain"));
  EXPECT_TRUE(is_utf8("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"));
  EXPECT_TRUE(is_utf8(std::string_view("a\0b", 3)));
  EXPECT_TRUE(is_utf8("\xED\x9F\xBF\xEE\x80\x80"));  // the neighbours of the surrogates
  EXPECT_TRUE(is_utf8("\xF4\x8F\xBF\xBF"));          // U+10FFFF, the last one
}

TEST(Utf8, RefusesWhatIsIllFormed) {
  for (const std::string_view bad : {
           "\x80",              // a continuation without a start
           "\xC0\xAF",          // overlong, two bytes
           "\xE0\x9F\xBF",      // overlong, three
           "\xF0\x8F\xBF\xBF",  // overlong, four
           "\xED\xA0\x80",      // a surrogate
           "\xF4\x90\x80\x80",  // beyond U+10FFFF
           "\xF5\x80\x80\x80",  // no such start
           "\xE2\x82",          // cut off
           "\xE2\x82x",         // broken off
           "\xFF",
       }) {
    EXPECT_FALSE(is_utf8(bad)) << testing::PrintToString(std::string(bad));
    EXPECT_FALSE(is_utf8("ok " + std::string(bad)));
  }
}

TEST(Printable, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(printable("caf\xC3\xA9 \xF0\x9F\x98\x80 \"'<>\\"),
            "caf\xC3\xA9 \xF0\x9F\x98\x80 \"'<>\\");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, TurnsControlCharactersIntoSpaces) {
  EXPECT_EQ(printable(std::string_view("a\0b\tc\nd\re\x1B[31m\x7F", 15)), "a b c d e [31m ");
}

TEST(Printable, TurnsC1ControlsIntoSpaces) {
  EXPECT_EQ(printable("a\xC2\x80\x62\xC2\x9B\x63\xC2\x9F"), "a b c ");
  EXPECT_EQ(printable("\xC2\xA0\xC2\xA9"), "\xC2\xA0\xC2\xA9");  // above C1: text
}

TEST(Printable, ReplacesEachIllFormedByte) {
  const std::string bad(kReplacement);
  EXPECT_EQ(printable("a\xFF\x62"), "a" + bad + "b");
  EXPECT_EQ(printable("\xED\xA0\x80"), bad + bad + bad);
  EXPECT_EQ(printable("x\xE2\x82"), "x" + bad + bad);
}

TEST(Printable, IsAlwaysUtf8WhateverComesIn) {
  std::string every;
  for (int i = 0; i < 256; ++i) every += static_cast<char>(i);
  EXPECT_TRUE(is_utf8(printable(every, 10'000)));
  for (std::size_t limit = 0; limit < 40; ++limit) {
    EXPECT_TRUE(is_utf8(printable("\xF0\x9F\x98\x80\xE2\x82\xAC\xC3\xA9 and\xFF more", limit)));
  }
}

TEST(Printable, CutsAtTheLimitBetweenCharacters) {
  EXPECT_EQ(printable("12345", 5), "12345");
  EXPECT_EQ(printable("123456", 5), "12345...");
  EXPECT_EQ(printable("abc\xE2\x82\xAC", 6), "abc\xE2\x82\xAC");
  EXPECT_EQ(printable("abc\xE2\x82\xAC", 5), "abc...");
  EXPECT_EQ(printable("a", 0), "...");
  EXPECT_EQ(printable("", 0), "");
}

TEST(Printable, KeepsThreeHundredBytesUnlessTold) {
  EXPECT_EQ(printable(std::string(300, 'a')), std::string(300, 'a'));
  EXPECT_EQ(printable(std::string(301, 'a')), std::string(300, 'a') + "...");
}

TEST(Text, LowersAsciiOnly) {
  EXPECT_EQ(lower("AbZ09@[`{"), "abz09@[`{");
  EXPECT_EQ(lower("\xC3\x89"), "\xC3\x89");
}

TEST(Text, TrimsSpacesTabsAndLineEnds) {
  EXPECT_EQ(trim(" \t\r\na b\n\r\t "), "a b");
  EXPECT_EQ(trim(" \r\n\t"), "");
  EXPECT_EQ(trim(""), "");
  EXPECT_EQ(trim("\va\v"), "\va\v");
}

TEST(Text, ComparesWithoutCase) {
  EXPECT_TRUE(iequals("Content-Type", "content-TYPE"));
  EXPECT_FALSE(iequals("content", "content-type"));
  EXPECT_FALSE(iequals("@", "`"));  // differ by 32 but are no letters
  EXPECT_TRUE(iequals("", ""));
}

TEST(Nearest, FindsASlip) {
  constexpr std::array<std::string_view, 3> kWords{"timeout", "targets", "temperature"};
  EXPECT_THAT(nearest("timeuot", kWords.data(), kWords.size()),
              Optional(std::string_view("timeout")));
  EXPECT_THAT(nearest("target", kWords.data(), kWords.size()),
              Optional(std::string_view("targets")));
}

TEST(Nearest, PrefersTheCloserAndThenTheEarlier) {
  constexpr std::array<std::string_view, 3> kWords{"abcx", "abcd", "abcy"};
  EXPECT_THAT(nearest("abcd", kWords.data(), kWords.size()), Optional(std::string_view("abcd")));
  EXPECT_THAT(nearest("abcz", kWords.data(), kWords.size()), Optional(std::string_view("abcx")));
}

TEST(Nearest, SaysNothingWhenNothingIsClose) {
  constexpr std::array<std::string_view, 2> kWords{"timeout", "targets"};
  EXPECT_EQ(nearest("headers", kWords.data(), kWords.size()), std::nullopt);
  EXPECT_EQ(nearest("abc", kWords.data(), 0), std::nullopt);
  // Two edits are allowed below nine letters, a third of the length above.
  constexpr std::array<std::string_view, 1> kLong{"abcdefghijkl"};
  EXPECT_TRUE(nearest("abcdefghxxxx", kLong.data(), 1).has_value());
  EXPECT_FALSE(nearest("abcdefgxxxxx", kLong.data(), 1).has_value());
}

TEST(Nearest, TakesBoundedTimeOverALongWord) {
  constexpr std::array<std::string_view, 1> kWords{"timeout"};
  EXPECT_FALSE(nearest(std::string(64, 'x'), kWords.data(), 1).has_value());
  nearest(std::string(10'000'000, 'x'), kWords.data(), 1);  // would never end without a bound
}

TEST(StableHash, NeverChanges) {
  EXPECT_EQ(stable_hash(""), 14695981039346656037ULL);
  EXPECT_EQ(stable_hash("a"), 0xAF63DC4C8601EC8CULL);
  EXPECT_EQ(stable_hash("foobar"), 0x85944171F73967E8ULL);
  EXPECT_EQ(stable_hash("\xFF"), 0xAF64724C8602EB6EULL);  // bytes count as unsigned
}

}  // namespace
}  // namespace tokprobe
