#pragma once

#include <functional>
#include <string>

#include "probes/run.h"
#include "tests/probes/harness.h"

namespace tokprobe {

/// A requester, a scripted server and a clock for runs. `script_of` is given the number of the
/// request (from 0) and the request.
struct Farm {
  using ScriptOf = std::function<Script(std::size_t, const HttpRequest&)>;
  explicit Farm(ScriptOf script_of, Endpoint endpoint = local());
  static Endpoint local();
  /// Works on the run until it is done, tick by tick, and calls `after_pump` after each pump.
  RunResult work(
      RunSpec spec, const std::function<void()>& after_pump = [] {});

  FakeClock clock;
  ReplayTransport transport;
  Requester requester;
};

RunSpec run_spec(int concurrency, int requests);

/// An answer of `tokens` events, the first after `first`, one each `gap`.
Script answer(Duration first, int tokens, Duration gap, int prompt_tokens = 9);

}  // namespace tokprobe
