#include "probes/redact.h"

#include <gmock/gmock.h>

namespace tokprobe {
namespace {

using testing::HasSubstr;
using testing::Not;

HttpRequest secretive() {
  HttpRequest request;
  request.url = "http://user:passw0rd@h/v1/chat/completions?k=queryvalue&n=1";
  request.headers = {"User-Agent: tokprobe/1", "Authorization: Bearer keykeykey",
                     "X-Team: topsecret"};
  return request;
}

TEST(Redact, TakesOutWhatAServerEchoes) {
  const std::string echo = redact(
      "bad: Authorization: Bearer keykeykey, x-team=topsecret, ?k=queryvalue, Basic dXNlcjpwYXNz, "
      "user:passw0rd, passw0rd, keykeykey",
      secretive());
  for (const char* secret : {"keykeykey", "topsecret", "queryvalue", "dXNl", "passw0rd"}) {
    EXPECT_THAT(echo, Not(HasSubstr(secret)));
  }
  EXPECT_THAT(echo, HasSubstr("bad: Authorization: Bearer xxx, x-team=xxx"));
}

TEST(Redact, TakesOutTheBeginningOfASecretThatWasCutOff) {
  EXPECT_EQ(redact("the key keyke...", secretive()), "the key xxx...");
  EXPECT_EQ(redact("the key key...", secretive()), "the key key...");
}

TEST(Redact, LeavesOtherTextAlone) {
  const std::string text = "tokprobe/1: model not found: a Basic b";
  EXPECT_EQ(redact(text, secretive()), text);
}

}  // namespace
}  // namespace tokprobe
