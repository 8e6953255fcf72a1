#include "probes/probe.h"

#include <gmock/gmock.h>

#include "probes/run.h"
#include "tests/support/replay_transport.h"

namespace tokprobe {
namespace {

using namespace std::chrono_literals;

std::string chunk(std::string_view text) {
  return "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + std::string(text) +
         "\"}}]}\n\n";
}

ProbeResult probe(const Script& script, Timeouts timeouts = {}) {
  FakeClock clock;
  ReplayTransport transport(clock, [&](const HttpRequest&) { return script; });
  ProbeSpec spec;
  spec.dialect = find_dialect("openai-chat");
  spec.timeouts = timeouts;
  spec.asked_output_tokens = 16;
  Probe probe(spec, clock);
  probe.start(transport);
  for (int i = 0; i < 100'000 && !probe.done(); ++i) {
    transport.run_until(clock.now() + kTick);
    probe.check_time(transport, clock.now());
  }
  return probe.take();
}

TEST(Probe, MeasuresToTheNanosecond) {
  Script script;
  script.head = stream_head();
  script.reads = {
      {100ms, chunk("a")},
      {140ms, chunk("b")},
      {180ms + 3ns, chunk("c")},
      {181ms,
       "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"}};
  const ProbeResult r = probe(script);
  EXPECT_EQ(r.reason, Reason::kOk);
  EXPECT_EQ(r.timing.ttft, 100ms);
  EXPECT_EQ(r.timing.last_token, 180ms + 3ns);
  EXPECT_EQ(r.duration, 181ms + 110us);
  EXPECT_EQ(r.text, "abc");
}

}  // namespace
}  // namespace tokprobe
