#include "probes/identity.h"

#include <gmock/gmock.h>

#include "probes/drive.h"
#include "tests/probes/harness.h"

namespace tokprobe {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

Identity models(std::string_view body) {
  Identity identity;
  read_models(body, identity);
  return identity;
}

std::string version_of(std::string_view body) {
  Identity identity;
  read_version(body, identity);
  return identity.version;
}

TEST(ReadModels, TakesTheFirstModelAndItsOwner) {
  const Identity identity = models(R"({"object":"list","data":[
      {"id":"org/model-7b","object":"model","owned_by":"vllm"},{"id":"adapter","owned_by":"x"}]})");
  EXPECT_EQ(identity.model, "org/model-7b");
  EXPECT_EQ(identity.server, "vllm");
}

TEST(ReadModels, KnowsTheOwnersOfServers) {
  const auto server = [](std::string_view owner) {
    return models(R"({"data":[{"id":"m","owned_by":")" + std::string(owner) + "\"}]}").server;
  };
  EXPECT_EQ(server("vllm"), "vllm");
  EXPECT_EQ(server("sglang"), "sglang");
  EXPECT_EQ(server("llamacpp"), "llama.cpp");
  EXPECT_EQ(server("library"), "ollama");
  EXPECT_EQ(server("someone"), "");
  EXPECT_EQ(server("VLLM"), "");
}

TEST(ReadModels, PassesOverEntriesWithoutAName) {
  EXPECT_EQ(models(R"({"data":[null,7,{"id":""},{"id":null},{},{"id":"m"}]})").model, "m");
}

TEST(ReadModels, KeepsTheNameAsItCame) {
  EXPECT_EQ(models(R"({"data":[{"id":"a\"b\nc \u00e9"}]})").model, "a\"b\nc \xC3\xA9");
}

TEST(ReadModels, SaysNothingOfHostileBodies) {
  for (const std::string& body :
       {std::string(), std::string("x"), std::string("[]"), std::string("{}"), std::string("null"),
        std::string(R"({"data":null})"), std::string(R"({"data":{}})"),
        std::string(R"({"data":[]})"), std::string(R"({"data":[[]]})"),
        std::string("{\"data\":[{\"id\":\"\xFF\"}]}"), std::string(100'000, '['),
        std::string(R"({"data":[{"id":"m")")}) {
    EXPECT_EQ(models(body), Identity{}) << body.substr(0, 80);
  }
}

TEST(ReadVersion, TakesTheVersion) { EXPECT_EQ(version_of(R"({"version":"0.11.2"})"), "0.11.2"); }

TEST(ReadVersion, IsPrintableAndBounded) {
  EXPECT_EQ(version_of(R"({"version":"1\u001b[31m\n2"})"), "1 [31m 2");
  EXPECT_LE(version_of(R"({"version":")" + std::string(10'000, 'x') + "\"}").size(), 103U);
}

TEST(ReadVersion, SaysNothingOfHostileBodies) {
  for (const std::string& body :
       {std::string(), std::string("1.2"), std::string("[]"), std::string("{}"),
        std::string("null"), std::string(R"({"version":null})"), std::string(R"({"version":7})"),
        std::string(R"({"version":{"version":"1"}})"), std::string(100'000, '['),
        std::string("{\"version\":\"\xFF\"}")}) {
    EXPECT_EQ(version_of(body), "") << body.substr(0, 80);
  }
}

// One server: a script a path.
struct Server {
  explicit Server(std::vector<Script> scripts, Duration timeout = 2s)
      : transport(clock, [scripts, n = 0U](const HttpRequest&) mutable { return scripts.at(n++); }),
        work(endpoint, timeout, transport, clock) {}
  void run() { drive(work, transport, clock, {}); }
  static Endpoint at(std::string_view url) {
    Endpoint endpoint;
    endpoint.url = *parse_url(url);
    return endpoint;
  }
  Endpoint endpoint = at("http://h:1");
  FakeClock clock;
  ReplayTransport transport;
  Identification work;
};

const std::string kModels = R"({"data":[{"id":"m","owned_by":"vllm"}]})";

Script json_answer(std::string_view body) { return response(200, "application/json", body); }

TEST(Identification, AsksForModelsAndThenForTheVersion) {
  Server server({json_answer(kModels), json_answer(R"({"version":"1.2"})")});
  server.run();
  EXPECT_TRUE(server.work.done());
  EXPECT_TRUE(server.work.answered());
  EXPECT_EQ(server.work.identity(), (Identity{"m", "vllm", "1.2"}));
  ASSERT_THAT(server.transport.requests(), SizeIs(2));
  EXPECT_EQ(server.transport.requests()[0].url, "http://h:1/v1/models");
  EXPECT_EQ(server.transport.requests()[1].url, "http://h:1/version");
  EXPECT_EQ(server.transport.requests()[0].method, "GET");
  EXPECT_EQ(server.transport.most_at_once(), 1U);
}

TEST(Identification, StartsNothingBeforeItIsPumped) {
  Server server({});
  EXPECT_THAT(server.transport.requests(), IsEmpty());
  EXPECT_FALSE(server.work.done());
}

TEST(Identification, LivesWithServersThatSayNothing) {
  Server server({response(404, "text/plain", "no"), response(404, "text/plain", "no")});
  server.run();
  EXPECT_TRUE(server.work.answered());
  EXPECT_EQ(server.work.identity(), Identity{});
}

TEST(Identification, IsNotAnsweredWithoutAConnection) {
  Script refused;
  refused.connects = false;
  refused.end = TransferEnd::kConnect;
  Server server({refused});
  server.run();
  EXPECT_FALSE(server.work.answered());
  EXPECT_THAT(server.transport.requests(), SizeIs(1));
}

TEST(Identification, GivesUpAfterItsTime) {
  Script silent = response(200, "", "");
  silent.head.reset();
  silent.hangs = true;
  Server server({silent}, 500ms);
  const Time begun = server.clock.now();
  server.run();
  EXPECT_FALSE(server.work.answered());
  EXPECT_EQ(server.clock.now() - begun, 500ms);
  EXPECT_EQ(server.transport.under_way(), 0U);
}

TEST(Identification, KeepsTheModelWhenTheVersionDoesNotCome) {
  Script silent = json_answer("");
  silent.hangs = true;
  Server server({json_answer(kModels), silent});
  server.run();
  EXPECT_TRUE(server.work.answered());
  EXPECT_EQ(server.work.identity(), (Identity{"m", "vllm", ""}));
}

TEST(Identification, DoesNotBelieveHalfABody) {
  Script cut = json_answer(kModels);
  cut.end = TransferEnd::kTruncated;
  Server server({cut, json_answer(R"({"version":"1"})")});
  server.run();
  EXPECT_EQ(server.work.identity(), (Identity{"", "", "1"}));
}

TEST(Identification, StopsReadingABodyThatIsTooLarge) {
  Script large = json_answer("");
  for (int i = 0; i < 5; ++i) large.reads.push_back({1ms, std::string(1U << 20U, ' ')});
  Server server({large, large});
  server.run();
  EXPECT_FALSE(server.work.answered());
  EXPECT_EQ(server.work.identity(), Identity{});
}

TEST(Identification, EndsAtOnceWhenTheKeyFileCannotBeRead) {
  Server server({});
  server.endpoint.api_key_file = "/nonexistent/key";
  server.run();
  EXPECT_TRUE(server.work.done());
  EXPECT_FALSE(server.work.answered());
  EXPECT_THAT(server.transport.requests(), IsEmpty());
}

TEST(Identification, LeavesNothingBehind) {
  FakeClock clock;
  ReplayTransport transport(clock, [](const HttpRequest&) { return json_answer(kModels); });
  const Endpoint endpoint = Server::at("http://h:1");
  {
    Identification work(endpoint, 1s, transport, clock);
    work.pump(clock.now());
    EXPECT_EQ(transport.under_way(), 1U);
  }
  EXPECT_EQ(transport.under_way(), 0U);
}

}  // namespace
}  // namespace tokprobe
