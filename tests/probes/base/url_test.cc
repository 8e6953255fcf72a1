#include "probes/base/url.h"

#include <gmock/gmock.h>

namespace tokprobe {
namespace {

using testing::HasSubstr;
using testing::Not;

Url url(std::string_view text) {
  auto parsed = parse_url(text);
  EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error());
  return parsed ? *parsed : Url{};
}

TEST(ParseUrl, TakesApartWhatItIsGiven) {
  const Url u = url("HTTPS://user:pw@Example.com:8443/base/path/?a=1&b=2#part");
  EXPECT_EQ(u.scheme, "https");
  EXPECT_EQ(u.userinfo, "user:pw");
  EXPECT_EQ(u.authority, "Example.com:8443");
  EXPECT_EQ(u.path, "/base/path");
  EXPECT_EQ(u.query, "a=1&b=2");
}

TEST(ParseUrl, TakesHostAndPortAsHttp) {
  const Url u = url("gpu-1.lan:30000");
  EXPECT_EQ(u.scheme, "http");
  EXPECT_EQ(u.authority, "gpu-1.lan:30000");
  EXPECT_EQ(u.path, "");
}

TEST(ParseUrl, TakesIpv6InBrackets) {
  EXPECT_EQ(url("http://[::1]:8000/v1").authority, "[::1]:8000");
  EXPECT_EQ(url("[::]:80").authority, "[::]:80");
}

TEST(ParseUrl, DropsSlashesAtTheEnd) {
  EXPECT_EQ(url("http://h/").path, "");
  EXPECT_EQ(url("http://h///").path, "");
  EXPECT_EQ(url("http://h/v1//").path, "/v1");
}

TEST(ParseUrl, RefusesWhatHasNoHostOrPort) {
  for (const std::string_view bad :
       {"", "http://", "http:///v1", "http://:80", "http://h:", "http://h:0", "http://h:65536",
        "http://h:-1", "http://h:+80", "http://h:8x", "http://h:99999999999999999999", "http://a,b",
        "http://[::1", "http://[]:80", "http://[:]", "http://[xyz]:80", "http://[::1]80",
        "http://::1", "http://h\\evil"}) {
    const auto parsed = parse_url(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_THAT(parsed.error(), HasSubstr("no valid host and port")) << bad;
  }
}

TEST(ParseUrl, RefusesOtherSchemes) {
  for (const std::string_view bad : {"ftp://h", "file:///etc/passwd", "://h", "ws://h"}) {
    const auto parsed = parse_url(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_THAT(parsed.error(), HasSubstr("must begin with http:// or https://")) << bad;
  }
}

TEST(ParseUrl, RefusesSpacesAndControlCharacters) {
  using std::literals::string_view_literals::operator""sv;
  for (const std::string_view bad : {" http://h"sv, "http://h/a b"sv, "http://h\r\nX: y"sv,
                                     "http://h/\x7F"sv, "http://h/\0"sv, "http://h\t"sv}) {
    const auto parsed = parse_url(bad);
    ASSERT_FALSE(parsed);
    EXPECT_THAT(parsed.error(), HasSubstr("space or a control character"));
  }
}

TEST(ParseUrl, RefusesMoreThanTwoThousandBytes) {
  const std::string fits = "http://h/" + std::string(1991, 'a');
  EXPECT_TRUE(parse_url(fits));
  EXPECT_THAT(parse_url(fits + "a").error(), HasSubstr("longer than 2000 bytes"));
}

TEST(ParseUrl, NeverPutsThePasswordIntoAMessage) {
  for (const std::string_view bad :
       {"http://user:hunter2@", "http://user:hunter2@:80", "http://user:hunter2@h:99999",
        "http://user:hunter2@[::1", "ftp://user:hunter2@h", "user:hunter2@", "http://u:hunter2@h h",
        "http://user:hunter2@h@:0", "http://user:hunter2@a,b/path"}) {
    const auto parsed = parse_url(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_THAT(parsed.error(), Not(HasSubstr("hunter2"))) << bad;
  }
}

TEST(ParseUrl, TakesAnAtSignAsPartOfThePassword) {
  const Url u = url("http://user:p@ss@h:80");
  EXPECT_EQ(u.userinfo, "user:p@ss");
  EXPECT_EQ(u.authority, "h:80");
}

TEST(Url, JoinsAPath) {
  EXPECT_EQ(url("http://h:1").join("/v1/models"), "http://h:1/v1/models");
  EXPECT_EQ(url("http://h/gw/").join("/v1/models"), "http://h/gw/v1/models");
}

TEST(Url, JoinsWithoutDoublingV1) {
  EXPECT_EQ(url("http://h/v1").join("/v1/models"), "http://h/v1/models");
  EXPECT_EQ(url("http://h/gw/v1/").join("/v1/models"), "http://h/gw/v1/models");
  EXPECT_EQ(url("http://h/v10").join("/v1/models"), "http://h/v10/v1/models");
  EXPECT_EQ(url("http://h/xv1").join("/v1/models"), "http://h/xv1/v1/models");
  EXPECT_EQ(url("http://h/v1").join("/version"), "http://h/version");
  EXPECT_EQ(url("http://h/gw/v1").join("/metrics"), "http://h/gw/metrics");
}

TEST(Url, JoinsWithUserInformationAndQuery) {
  EXPECT_EQ(url("https://u:p@h/v1?key=k").join("/v1/models"), "https://u:p@h/v1/models?key=k");
}

TEST(Url, APasswordInTheWrongPlaceIsInNoMessageAndInNoLabel) {
  for (const std::string_view slip :
       {"http://user:hunt/er2@host", "http://user:hunt#er2@host", "user:hunt2@h/?next=http://x",
        "http//user:hunter2@host:8000/v1", "http://user:12/hunter2@host"}) {
    const auto parsed = parse_url(slip);
    EXPECT_THAT(parsed ? parsed->masked() : parsed.error(), Not(HasSubstr("hunt"))) << slip;
  }
}

TEST(Url, IsAsciiSoThatItsLabelIsUtf8) { EXPECT_FALSE(parse_url("http://h/\xFF")); }

TEST(Url, TakesTheZoneOfAnAddress) {
  EXPECT_TRUE(parse_url("http://[fe80::1%25eth0]:8000"));
  EXPECT_FALSE(parse_url("http://[fe80::1%eth0]"));
  EXPECT_FALSE(parse_url("http://[fe80::1%25]"));
}

TEST(Url, MasksSecrets) {
  const std::string masked = url("http://user:pw@h:1/v1?key=topsecret&flag&n=").masked();
  EXPECT_EQ(masked, "http://xxx@h:1/v1?key=xxx&flag&n=xxx");
  EXPECT_EQ(url("http://h:1/v1").masked(), "http://h:1/v1");
  EXPECT_EQ(url("http://h?a=b=c").masked(), "http://h?a=xxx");
}

}  // namespace
}  // namespace tokprobe
