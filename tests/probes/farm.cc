#include "tests/probes/farm.h"

#include <gtest/gtest.h>

namespace tokprobe {

using namespace std::chrono_literals;

Endpoint Farm::local() {
  Endpoint endpoint;
  endpoint.url = *parse_url("http://server.test:8000");
  return endpoint;
}

Farm::Farm(ScriptOf script_of, Endpoint endpoint)
    : transport(clock, [script_of = std::move(script_of), n = std::size_t{0}](
                           const HttpRequest& request) mutable { return script_of(n++, request); }),
      requester(std::move(endpoint), *find_dialect("openai-chat"), "m", 1) {}

RunResult Farm::work(RunSpec spec, const std::function<void()>& after_pump) {
  Run run(std::move(spec), requester, transport, clock);
  for (int i = 0; i < 1'000'000; ++i) {
    run.pump(clock.now());
    after_pump();
    if (run.done()) return run.take();
    transport.run_until(clock.now() + kTick);
  }
  ADD_FAILURE() << "the run did not end";
  run.cancel();
  return run.take();
}

RunSpec run_spec(int concurrency, int requests) {
  RunSpec spec;
  spec.target = "t";
  spec.probe = "p";
  spec.concurrency = concurrency;
  spec.requests = requests;
  return spec;
}

Script answer(Duration first, int tokens, Duration gap, int prompt_tokens) {
  std::vector<Script::Read> reads;
  for (int i = 0; i < tokens; ++i) reads.push_back({first + i * gap, text_event("x")});
  reads.push_back({first + tokens * gap, ending(prompt_tokens, tokens)});
  return stream(std::move(reads));
}

}  // namespace tokprobe
