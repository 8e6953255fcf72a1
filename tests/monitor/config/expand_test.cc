#include <gtest/gtest.h>

#include "files.h"
#include "monitor/config/expand_internal.h"

namespace tokprobe {
namespace {

std::string expanded(std::string_view text) {
  const Environment environment = environment_of({{"HOST", "gpu-1"},
                                                  {"EMPTY", ""},
                                                  {"NESTED", "${HOST}$$"},
                                                  {"LINES", "a\nb"},
                                                  {"BYTES", "\xFF"},
                                                  {"LONG", std::string(5000, 'x')}});
  const Result<std::string> result = config_detail::expand(text, environment);
  return result ? *result : "error: " + result.error();
}

TEST(Expand, ReplacesVariablesWhereverTheyStand) {
  EXPECT_EQ(expanded("http://${HOST}:${HOST}/x"), "http://gpu-1:gpu-1/x");
  EXPECT_EQ(expanded("<${EMPTY}>"), "<>");
  EXPECT_EQ(expanded(""), "");
}

TEST(Expand, LeavesOtherDollarsAlone) {
  EXPECT_EQ(expanded("pa$word $HOST $"), "pa$word $HOST $");
  EXPECT_EQ(expanded("$$"), "$");
  EXPECT_EQ(expanded("$${HOST}"), "${HOST}");
  EXPECT_EQ(expanded("$$${HOST}"), "$gpu-1");
}

TEST(Expand, DoesNotLookAgainAtWhatCameIn) { EXPECT_EQ(expanded("${NESTED}"), "${HOST}$$"); }

TEST(Expand, RefusesWhatIsNotSetOrNotText) {
  EXPECT_EQ(expanded("${NONE}"), "error: the environment variable NONE is not set");
  EXPECT_EQ(expanded("${LONG}"), "error: the environment variable LONG has more than 4096 bytes");
  EXPECT_EQ(
      expanded("${LINES}"),
      "error: the environment variable LINES holds a line break, a control character or bytes "
      "that are not UTF-8");
  EXPECT_EQ(expanded("${BYTES}").substr(0, 6), "error:");
}

TEST(Expand, RefusesWhatIsNoName) {
  for (const char* text : {"${", "${HOST", "${}", "${1A}", "${A-B}", "${HOST:-x}", "${ HOST }"}) {
    EXPECT_EQ(expanded(text),
              "error: '${' must be followed by the name of a variable and '}'; write $${ for plain "
              "text")
        << text;
  }
}

}  // namespace
}  // namespace tokprobe
