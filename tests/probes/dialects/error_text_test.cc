#include <gmock/gmock.h>

#include "probes/base/text.h"
#include "probes/dialects/dialect.h"

namespace tokprobe {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ErrorText, FindsTheMessageInEveryShape) {
  EXPECT_EQ(error_text(R"({"error":{"message":"m","type":"t"}})"), "m (t)");
  EXPECT_EQ(
      error_text(R"({"error":{"code":503,"message":"Loading model","type":"unavailable_error"}})"),
      "Loading model (unavailable_error)");
  EXPECT_EQ(error_text(R"({"error":"m"})"), "m");
  EXPECT_EQ(error_text(R"({"error":"m","error_type":"t"})"), "m (t)");
  EXPECT_EQ(error_text(R"({"object":"error","message":"m","type":"t"})"), "m (t)");
  EXPECT_EQ(error_text(R"({"message":"m"})"), "m");
  EXPECT_EQ(error_text(R"({"detail":"m"})"), "m");
  EXPECT_EQ(error_text(R"({"type":"error","error":{"type":"overloaded_error","message":"m"}})"),
            "m (overloaded_error)");
}

TEST(ErrorText, FallsBackToTheTextItself) {
  EXPECT_EQ(error_text("  plain words\r\n"), "plain words");
  EXPECT_EQ(error_text("<html>\n<b>502</b>"), "<html> <b>502</b>");
  EXPECT_EQ(error_text(R"({"detail":[{"msg":"x"}]})"), R"({"detail":[{"msg":"x"}]})");
  EXPECT_EQ(error_text(R"({"error":null})"), R"({"error":null})");
  EXPECT_EQ(error_text("[]"), "[]");
  EXPECT_EQ(error_text("7"), "7");
  EXPECT_EQ(error_text(""), "");
  EXPECT_EQ(error_text(" \n"), "");
}

TEST(ErrorText, IsPrintableWhateverComes) {
  std::string every;
  for (int i = 0; i < 256; ++i) every += static_cast<char>(i);
  EXPECT_TRUE(is_utf8(error_text(every)));
  EXPECT_EQ(error_text(R"({"error":"a\u0000b\nc\u009bd"})"), "a b c d");
  EXPECT_THAT(error_text("\x1B]0;title\x07"), Not(HasSubstr("\x1B")));
}

TEST(ErrorText, IsBounded) {
  const std::string x(50'000, 'x');
  for (const std::string& body :
       {x, R"({"error":")" + x + "\"}", R"({"detail":")" + x + "\"}",
        R"({"error":{"message":"m","type":")" + x + "\"}}", std::string(50'000, '[')}) {
    EXPECT_LE(error_text(body).size(), 303U);  // 300 and the mark of the cut
  }
}

}  // namespace
}  // namespace tokprobe
