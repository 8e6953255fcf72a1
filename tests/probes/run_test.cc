#include "probes/run.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "probes/base/random.h"
#include "probes/measures.h"
#include "tests/probes/farm.h"

namespace tokprobe {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Run, MakesTheRequestsOneAfterAnother) {
  Farm farm([](std::size_t, const HttpRequest&) { return answer(100ms, 2, 40ms); });
  const Time begun = farm.clock.now();
  const RunResult run = farm.work(run_spec(1, 3));
  EXPECT_EQ(run.target, "t");
  EXPECT_EQ(run.probe, "p");
  EXPECT_EQ(run.concurrency, 1);
  EXPECT_FALSE(run.cancelled);
  ASSERT_THAT(run.requests, SizeIs(3));
  EXPECT_THAT(run.unmeasured, IsEmpty());
  for (int i = 0; i < 3; ++i) {
    // Each starts at the very instant at which the one before it has ended.
    EXPECT_EQ(run.requests[i].start, begun + i * 180ms);
    EXPECT_EQ(run.requests[i].end, begun + (i + 1) * 180ms);
  }
  EXPECT_EQ(run_time(run), 540ms);
}

TEST(Run, KeepsAllItsWorkersBusy) {
  for (const int concurrency : {1, 2, 5, 16}) {
    Farm farm([](std::size_t n, const HttpRequest&) {
      return answer(Duration(10ms) * (1 + n % 7), 3, 15ms);
    });
    const int requests = 40;
    std::size_t ended = 0;
    const RunResult run = farm.work(run_spec(concurrency, requests), [&] {
      ended = farm.transport.requests().size() - farm.transport.under_way();
      const std::size_t left = requests - ended;
      EXPECT_EQ(farm.transport.under_way(), std::min<std::size_t>(concurrency, left));
    });
    EXPECT_THAT(run.requests, SizeIs(requests));
    EXPECT_EQ(farm.transport.requests().size(), 40U);
    EXPECT_EQ(farm.transport.most_at_once(), static_cast<std::size_t>(concurrency));
  }
}

TEST(Run, NeedsNoMoreWorkersThanRequests) {
  Farm farm([](std::size_t, const HttpRequest&) { return answer(10ms, 2, 20ms); });
  const RunResult run = farm.work(run_spec(8, 3));
  EXPECT_THAT(run.requests, SizeIs(3));
  EXPECT_EQ(farm.transport.most_at_once(), 3U);
  EXPECT_EQ(run.concurrency, 8);  // as asked
}

TEST(Run, GivesTheResultsInTheOrderOfTheirEnds) {
  Farm farm(
      [](std::size_t n, const HttpRequest&) { return answer(Duration(100ms) - n * 20ms, 2, 7ms); });
  const RunResult run = farm.work(run_spec(4, 4));
  ASSERT_THAT(run.requests, SizeIs(4));
  for (std::size_t i = 1; i < 4; ++i) EXPECT_LT(run.requests[i - 1].end, run.requests[i].end);
}

TEST(Run, GoesOnAfterFailures) {
  Farm farm([](std::size_t n, const HttpRequest&) {
    return n % 2 == 0 ? response(500, "text/plain", "no") : answer(10ms, 2, 20ms);
  });
  const RunResult run = farm.work(run_spec(2, 9));
  EXPECT_THAT(run.requests, SizeIs(9));
  EXPECT_EQ(ok_count(run), 4);
  EXPECT_FALSE(run.cancelled);
}

TEST(Run, WatchesTheTimeOutsOfEveryWorker) {
  Farm farm([](std::size_t n, const HttpRequest&) {
    Script script = answer(10ms, 2, 20ms);
    if (n == 1) script = stream({});
    script.hangs = n == 1;
    return script;
  });
  RunSpec spec = run_spec(3, 6);
  spec.shape.timeouts.first_token = 500ms;
  const RunResult run = farm.work(spec);
  ASSERT_THAT(run.requests, SizeIs(6));
  EXPECT_EQ(ok_count(run), 5);
  EXPECT_EQ(run.requests.back().reason, Reason::kTimeoutFirstToken);
  EXPECT_EQ(run.requests.back().duration, 500ms);
}

TEST(Run, SendsAFreshPromptAndIdEachTime) {
  Farm farm([](std::size_t, const HttpRequest&) { return answer(10ms, 2, 20ms); });
  farm.work(run_spec(2, 10));
  std::set<std::string> bodies;
  std::set<std::string> ids;
  for (const HttpRequest& request : farm.transport.requests()) {
    EXPECT_EQ(request.url, "http://server.test:8000/v1/chat/completions");
    EXPECT_TRUE(bodies.insert(request.body).second);
    for (const std::string& header : request.headers) {
      if (header.starts_with("X-Request-Id: ")) ids.insert(header);
    }
  }
  EXPECT_THAT(ids, SizeIs(10));
}

TEST(Run, CanBeCancelledInTheMiddle) {
  Farm farm([](std::size_t, const HttpRequest&) { return answer(100ms, 2, 20ms); });
  tokprobe::Run run(run_spec(4, 100), farm.requester, farm.transport, farm.clock);
  for (int i = 0; i < 30; ++i) {
    run.pump(farm.clock.now());
    farm.transport.run_until(farm.clock.now() + kTick);
  }
  EXPECT_FALSE(run.done());
  run.cancel();
  ASSERT_TRUE(run.done());
  EXPECT_EQ(farm.transport.under_way(), 0U);
  const RunResult result = run.take();
  EXPECT_TRUE(result.cancelled);
  EXPECT_FALSE(result.requests.empty());
  for (const ProbeResult& r : result.requests) EXPECT_TRUE(r.ok());  // no cancelled one
}

TEST(Run, KeepsWhatHadEndedBeforeItWasCancelled) {
  Farm farm([](std::size_t, const HttpRequest&) { return answer(10ms, 2, 20ms); });
  tokprobe::Run run(run_spec(1, 5), farm.requester, farm.transport, farm.clock);
  run.pump(farm.clock.now());
  farm.transport.run_until(farm.clock.now() + 1s);  // ended, not yet collected
  run.cancel();
  EXPECT_THAT(run.take().requests, SizeIs(1));
}

TEST(Run, CanBeCancelledBeforeItBegins) {
  Farm farm([](std::size_t, const HttpRequest&) { return answer(10ms, 2, 20ms); });
  tokprobe::Run run(run_spec(2, 5), farm.requester, farm.transport, farm.clock);
  run.cancel();
  run.pump(farm.clock.now());
  EXPECT_TRUE(run.done());
  EXPECT_THAT(farm.transport.requests(), IsEmpty());
}

TEST(Run, LeavesNothingBehindWhenItIsDestroyed) {
  Farm farm([](std::size_t, const HttpRequest&) { return answer(10ms, 2, 20ms); });
  {
    tokprobe::Run run(run_spec(3, 5), farm.requester, farm.transport, farm.clock);
    run.pump(farm.clock.now());
    EXPECT_EQ(farm.transport.under_way(), 3U);
  }
  EXPECT_EQ(farm.transport.under_way(), 0U);
}

TEST(Run, SendsNothingWhenTheKeyFileCannotBeRead) {
  Endpoint endpoint = Farm::local();
  endpoint.api_key_file = "/nonexistent/key";
  Farm farm([](std::size_t, const HttpRequest&) { return answer(10ms, 2, 20ms); }, endpoint);
  RunSpec spec = run_spec(2, 5);
  spec.shape.input_tokens = 500;  // calibration would come first
  const RunResult run = farm.work(spec);
  EXPECT_THAT(farm.transport.requests(), IsEmpty());
  ASSERT_THAT(run.requests, SizeIs(5));
  EXPECT_THAT(run.unmeasured, IsEmpty());
  for (const ProbeResult& r : run.requests) {
    EXPECT_EQ(r.reason, Reason::kInternal);
    EXPECT_EQ(r.detail, "the API key file /nonexistent/key cannot be read");
    EXPECT_EQ(r.duration, std::nullopt);
  }
}

// Whatever servers do: every request is attempted once and is either ok or failed.
TEST(RunProperty, CountsEveryRequestOnce) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const int concurrency = 1 + static_cast<int>(random.below(8));
    const int requests = 1 + static_cast<int>(random.below(30));
    Farm farm([&](std::size_t, const HttpRequest&) {
      Script script =
          answer(Duration(1ms) * (1 + random.below(300)), 1 + static_cast<int>(random.below(5)),
                 Duration(1ms) * random.below(50));
      switch (random.below(8)) {
        case 0:
          script = response(random.below(2) == 0 ? 503 : 429, "text/plain", "busy");
          break;
        case 1:
          script.connects = false;
          script.end = TransferEnd::kConnect;
          break;
        case 2:
          script.reads.pop_back();
          break;
        case 3:
          script.hangs = true;
          break;
        case 4:
          script.reads.pop_back();
          script.hangs = true;
          break;
        case 5:
          script.end = TransferEnd::kReset;
          script.reads.pop_back();
          break;
        default:
          break;
      }
      return script;
    });
    RunSpec spec = run_spec(concurrency, requests);
    spec.shape.timeouts = {1s, 200ms, 100ms, 2s};
    const RunResult run = farm.work(spec);
    ASSERT_THAT(run.requests, SizeIs(requests)) << "seed " << seed;
    const auto failed = std::count_if(run.requests.begin(), run.requests.end(),
                                      [](const auto& r) { return is_failure(r.reason); });
    EXPECT_EQ(ok_count(run) + failed, requests) << "seed " << seed;
    EXPECT_LE(farm.transport.most_at_once(), static_cast<std::size_t>(concurrency));
    EXPECT_EQ(farm.transport.requests().size(), static_cast<std::size_t>(requests));
    EXPECT_EQ(farm.transport.under_way(), 0U);
    for (const ProbeResult& r : run.requests) {
      EXPECT_GE(r.duration.value_or(0ns), 0ns);
      EXPECT_EQ(r.detail.empty(), r.ok());
    }
  }
}

TEST(Run, RequestsStandInTheOrderOfTheirEndsAlsoAfterATimeOut) {
  Farm farm([](std::size_t n, auto&) {
    Script script = n == 1 ? stream({}) : answer(100ms, 1, 405ms);
    script.hangs = n == 1;
    return script;
  });
  RunSpec spec = run_spec(2, 2);
  spec.shape.timeouts.first_token = 500ms;
  const RunResult run = farm.work(spec);
  ASSERT_EQ(run.requests.size(), 2U);
  EXPECT_LE(run.requests[0].end, run.requests[1].end);
}

TEST(Run, StartsTheNextRequestAtOnceAfterATimeOut) {
  Farm farm([](std::size_t n, auto&) {
    Script script = n == 0 ? stream({}) : answer(100ms, 1, 5ms);
    script.hangs = n == 0;
    return script;
  });
  RunSpec spec = run_spec(1, 2);
  spec.shape.timeouts.first_token = 500ms;
  const RunResult run = farm.work(spec);
  ASSERT_EQ(run.requests.size(), 2U);
  EXPECT_LT(run.requests[1].start - run.requests[0].end, 1ms);
}

}  // namespace
}  // namespace tokprobe
