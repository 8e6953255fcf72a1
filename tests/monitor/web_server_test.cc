#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>

#include "monitor/web/server.h"
#include "probes/base/clock.h"

namespace tokprobe {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ListenAddress, IsHostAndPort) {
  const auto read = [](const char* text) {
    const auto address = parse_listen_address(text);
    return address ? address->host + " " + std::to_string(address->port) : address.error();
  };
  EXPECT_EQ(read("127.0.0.1:18838"), "127.0.0.1 18838");
  EXPECT_EQ(read("[::1]:18838"), "::1 18838");
  EXPECT_EQ(read(":0"), " 0");
  EXPECT_EQ(read("localhost:65535"), "localhost 65535");
}

TEST(ListenAddress, RefusesEverythingElseAndSaysHowToWriteIt) {
  for (const char* bad :
       {"", "18838", "127.0.0.1", "127.0.0.1:", "127.0.0.1:http", "127.0.0.1:65536", "127.0.0.1:-1",
        "127.0.0.1:+1", "127.0.0.1: 1", "127.0.0.1:1 ", "::1:18838", "[::1]", "[::1:80", "::1]:80",
        "127.0.0.1:99999999999999999999", "a:b:1", "*:1", "a b:1"}) {
    const auto address = parse_listen_address(bad);
    ASSERT_FALSE(address) << bad;
    EXPECT_THAT(address.error(), HasSubstr("HOST:PORT")) << bad;
    EXPECT_THAT(address.error(), HasSubstr(bad)) << bad;
  }
}

TEST(ListenAddress, ShowsWhatWasRead) {
  EXPECT_EQ(show({"127.0.0.1", 1}), "127.0.0.1:1");
  EXPECT_EQ(show({"::1", 1}), "[::1]:1");
  EXPECT_EQ(show({"", 1}), "0.0.0.0:1");
}

// A connection that knows nothing of HTTP.
class Connection {
 public:
  explicit Connection(int port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    open_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~Connection() { ::close(fd_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  bool open() const { return open_; }
  void send(const std::string& text) const {
    ASSERT_EQ(::send(fd_, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  /// All until the other side closes.
  std::string rest() const {
    std::string out;
    char buffer[4096];
    for (ssize_t n = 0; (n = ::recv(fd_, buffer, sizeof buffer, 0)) > 0;) {
      out.append(buffer, static_cast<std::size_t>(n));
    }
    return out;
  }
  /// The first bytes of the answer.
  std::string some() const {
    char buffer[4096];
    const ssize_t n = ::recv(fd_, buffer, sizeof buffer, 0);
    return {buffer, static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
  }

 private:
  int fd_;
  bool open_ = false;
};

class WebServerTest : public ::testing::Test {
 protected:
  WebServerTest()
      : server_({{"/",
                  [](const Query&) {
                    return Page{200, "text/html; charset=utf-8", "<p>hello"};
                  }},
                 {"/metrics",
                  [](const Query&) {
                    return Page{200, "text/plain; version=0.0.4", "a 1\n"};
                  }},
                 {"/-/ready",
                  [](const Query&) {
                    return Page{503, "text/plain", "starting\n"};
                  }},
                 {"/-/accept",
                  [](const Query& query) {
                    return Page{200, "text/plain", "took " + query.at("target") + "\n"};
                  },
                  true}},
                [this](const std::string& handler, int code) {
                  const std::lock_guard lock(mutex_);
                  ++counts_[handler + " " + std::to_string(code)];
                }) {}

  int listen() {
    const auto port = server_.listen({"127.0.0.1", 0});
    EXPECT_TRUE(port) << port.error();
    return port ? *port : 0;
  }
  static std::string ask(int port, const std::string& method, const std::string& path) {
    const Connection connection(port);
    EXPECT_TRUE(connection.open());
    connection.send(method + " " + path +
                    " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    return connection.rest();
  }
  /// The counts once all connections have ended.
  std::map<std::string, int> counts() {
    server_.stop();
    const std::lock_guard lock(mutex_);
    return counts_;
  }

  std::mutex mutex_;
  std::map<std::string, int> counts_;
  WebServer server_;
};

TEST_F(WebServerTest, AnswersWhatItsRoutesSay) {
  const int port = listen();
  ASSERT_GT(port, 0);
  const std::string page = ask(port, "GET", "/metrics");
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(page, HasSubstr("Content-Type: text/plain; version=0.0.4\r\n"));
  EXPECT_THAT(page, HasSubstr("X-Content-Type-Options: nosniff\r\n"));
  EXPECT_TRUE(page.ends_with("\r\n\r\na 1\n"));
  EXPECT_THAT(ask(port, "GET", "/-/ready"), StartsWith("HTTP/1.1 503"));
  EXPECT_EQ(counts(), (std::map<std::string, int>{{"/metrics 200", 1}, {"/-/ready 503", 1}}));
}

TEST_F(WebServerTest, WhatChangesSomethingAnswersPostOnly) {
  const int port = listen();
  const std::string done = ask(port, "POST", "/-/accept?target=a%22b%20c");
  EXPECT_THAT(done, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(done, HasSubstr("took a\"b c\n"));
  const std::string refused = ask(port, "GET", "/-/accept?target=a");
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(refused, HasSubstr("Allow: POST\r\n"));
  EXPECT_THAT(ask(port, "POST", "/metrics"), StartsWith("HTTP/1.1 404"));
}

TEST_F(WebServerTest, AnswersHeadWithoutABody) {
  const std::string page = ask(listen(), "HEAD", "/metrics");
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(page, HasSubstr("Content-Length: 4\r\n"));
  EXPECT_TRUE(page.ends_with("\r\n\r\n"));
}

TEST_F(WebServerTest, CountsUnknownPathsAsOtherSoThatTheyMakeNoSeries) {
  const int port = listen();
  for (const char* path : {"/wp-login.php", "/metrics/", "//", "/metricsx", "/x%0Ay"}) {
    EXPECT_THAT(ask(port, "GET", path), StartsWith("HTTP/1.1 404")) << path;
  }
  EXPECT_EQ(counts(), (std::map<std::string, int>{{"other 404", 5}}));
}

TEST_F(WebServerTest, AQueryIsNoOtherPath) {
  EXPECT_THAT(ask(listen(), "GET", "/metrics?name[]=x"), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(counts(), (std::map<std::string, int>{{"/metrics 200", 1}}));
}

TEST_F(WebServerTest, RefusesEveryOtherMethod) {
  const int port = listen();
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"}) {
    EXPECT_THAT(ask(port, method, "/metrics"), StartsWith("HTTP/1.1 4")) << method;
  }
}

TEST_F(WebServerTest, SurvivesWhatIsNoHttp) {
  const int port = listen();
  for (const char* nonsense : {"\r\n\r\n", "hello\r\n\r\n", "\x16\x03\x01\x02", "GET\r\n\r\n"}) {
    const Connection connection(port);
    connection.send(nonsense);
  }
  EXPECT_THAT(ask(port, "GET", "/metrics"), StartsWith("HTTP/1.1 200"));
}

TEST_F(WebServerTest, APortThatIsTakenIsAnErrorThatNamesIt) {
  const int port = listen();
  WebServer second({}, [](const std::string&, int) {});
  const auto taken = second.listen({"127.0.0.1", port});
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error(), HasSubstr("127.0.0.1:" + std::to_string(port)));
  EXPECT_THAT(taken.error(), HasSubstr("in use"));
}

TEST_F(WebServerTest, AnAddressThatIsNotOursIsAnErrorThatNamesIt) {
  for (const char* host : {"192.0.2.1", "no-such-host.invalid"}) {
    const auto foreign = server_.listen({host, 0});
    ASSERT_FALSE(foreign) << host;
    EXPECT_THAT(foreign.error(), HasSubstr(host));
  }
}

TEST_F(WebServerTest, ListensOnSeveralAddresses) {
  const int first = listen();
  const int second = listen();
  EXPECT_NE(first, second);
  EXPECT_THAT(ask(first, "GET", "/metrics"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask(second, "GET", "/metrics"), StartsWith("HTTP/1.1 200"));
}

TEST_F(WebServerTest, ThePortIsFreeAgainAfterTheStop) {
  const int port = listen();
  server_.stop();
  EXPECT_FALSE(Connection(port).open());
  WebServer second({}, [](const std::string&, int) {});
  EXPECT_TRUE(second.listen({"127.0.0.1", port}));
}

TEST_F(WebServerTest, StoppingDoesNotWaitForConnectionsThatAreOpen) {
  const int port = listen();
  const Connection silent(port);
  const Connection kept(port);
  kept.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(kept.some(), StartsWith("HTTP/1.1 200"));
  const SteadyClock clock;
  const Time before = clock.now();
  server_.stop();
  EXPECT_LT(clock.now() - before, std::chrono::seconds(4)) << "a restart must not take long";
}

}  // namespace
}  // namespace tokprobe
