#include "probes/endpoint.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "probes/base/version.h"

namespace tokprobe {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A file that is gone when the test ends.
class KeyFile {
 public:
  explicit KeyFile(std::string_view content) { write(content); }
  ~KeyFile() { std::filesystem::remove(path_); }
  KeyFile(const KeyFile&) = delete;
  KeyFile& operator=(const KeyFile&) = delete;
  void write(std::string_view content) const { std::ofstream(path_, std::ios::binary) << content; }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = testing::TempDir() + "tokprobe_key_" +
                      testing::UnitTest::GetInstance()->current_test_info()->name();
};

Endpoint endpoint() {
  Endpoint e;
  e.url = *parse_url("https://u:p@h:8000/v1");
  return e;
}

Result<HttpRequest> with_key(std::string_view content) {
  const KeyFile file(content);
  Endpoint e = endpoint();
  e.api_key_file = file.path();
  return make_request(e, "/v1/models", "", "");
}

TEST(MakeRequest, GetsWithoutABody) {
  const auto request = make_request(endpoint(), "/v1/models", "", "");
  EXPECT_EQ(request->method, "GET");
  EXPECT_EQ(request->url, "https://u:p@h:8000/v1/models");
  EXPECT_EQ(request->body, "");
  EXPECT_THAT(request->headers,
              ElementsAre("User-Agent: " + user_agent(), "Accept: application/json"));
}

TEST(MakeRequest, PostsABody) {
  const auto request = make_request(endpoint(), "/v1/chat/completions", "{}", "id-1");
  EXPECT_EQ(request->method, "POST");
  EXPECT_EQ(request->body, "{}");
  EXPECT_THAT(request->headers,
              ElementsAre("User-Agent: " + user_agent(), "Content-Type: application/json",
                          "Accept: text/event-stream", "X-Request-Id: id-1"));
}

TEST(MakeRequest, CarriesTheWayToTheServer) {
  Endpoint e = endpoint();
  e.ca_file = "ca.pem";
  e.insecure = true;
  e.proxy = "http://proxy:1";
  const auto request = make_request(e, "/", "", "");
  EXPECT_EQ(request->ca_file, "ca.pem");
  EXPECT_TRUE(request->insecure);
  EXPECT_EQ(request->proxy, "http://proxy:1");
  EXPECT_TRUE(request->fresh_connection);
}

TEST(MakeRequest, SendsTheHeadersOfTheEndpoint) {
  Endpoint e = endpoint();
  e.headers = {{"X-Team", "a b"}, {"X-Empty", ""}};
  const auto request = make_request(e, "/", "", "");
  EXPECT_THAT(request->headers, Contains("X-Team: a b"));
  EXPECT_THAT(request->headers, Contains("X-Empty: "));
}

TEST(MakeRequest, RefusesControlCharactersInHeaders) {
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"X-A", "secret\r\nX-B: c"},
                                                        {"X-A", "secret\n"},
                                                        {"X-A", std::string("secret\0", 7)},
                                                        {"X-A\r\nX-B", "secret"},
                                                        {"X-A", "secret\x7F"}}) {
    Endpoint e = endpoint();
    e.headers = {{name, value}};
    const auto request = make_request(e, "/", "", "");
    ASSERT_FALSE(request);
    EXPECT_THAT(request.error(), HasSubstr("holds control characters"));
    EXPECT_THAT(request.error(), HasSubstr("X-A"));
    EXPECT_THAT(request.error(), Not(HasSubstr("secret")));
  }
}

TEST(MakeRequest, SendsTheKeyTrimmed) {
  for (const char* content : {"sk-123", "sk-123\n", "  sk-123\r\n", "\n\tsk-123 \n\n"}) {
    EXPECT_THAT(with_key(content)->headers, Contains("Authorization: Bearer sk-123"));
  }
}

TEST(MakeRequest, RefusesAKeyOfSeveralLinesOrControlCharacters) {
  for (const std::string& content :
       {std::string("sk-123\nsk-456"), std::string("sk-123\r\nX: y"), std::string("sk-\t123"),
        std::string("sk-123\0", 7) + "x", std::string("sk-\x1B")}) {
    const auto request = with_key(content);
    ASSERT_FALSE(request);
    EXPECT_THAT(request.error(), HasSubstr("holds more than one line"));
    EXPECT_THAT(request.error(), Not(HasSubstr("sk-")));
  }
}

TEST(MakeRequest, RefusesAKeyFileThatGivesNoKey) {
  EXPECT_THAT(with_key("").error(), HasSubstr("is empty"));
  EXPECT_THAT(with_key(" \n\n").error(), HasSubstr("is empty"));
  Endpoint e = endpoint();
  e.api_key_file = "/nonexistent/\x1Bkey";
  EXPECT_EQ(make_request(e, "/", "", "").error(),
            "the API key file /nonexistent/ key cannot be read");
  e.api_key_file = testing::TempDir();
  EXPECT_FALSE(make_request(e, "/", "", ""));
}

TEST(MakeRequest, ReadsTheKeyEachTime) {
  const KeyFile file("old");
  Endpoint e = endpoint();
  e.api_key_file = file.path();
  EXPECT_THAT(make_request(e, "/", "", "")->headers, Contains("Authorization: Bearer old"));
  file.write("new");
  EXPECT_THAT(make_request(e, "/", "", "")->headers, Contains("Authorization: Bearer new"));
}

TEST(UserAgent, NamesTheProgramAndItsVersion) {
  EXPECT_THAT(user_agent(), StartsWith("tokprobe/"));
  EXPECT_THAT(user_agent(), HasSubstr(std::string(version())));
  EXPECT_FALSE(revision().empty());
}

}  // namespace
}  // namespace tokprobe
