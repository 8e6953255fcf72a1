#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probes/base/clock.h"
#include "probes/base/reason.h"
#include "probes/checks/check.h"
#include "probes/stream/timeline.h"

namespace tokprobe {

/// The time of a request in pieces that add up to its duration. The first three are absent on a
/// kept connection; the others where the response did not get so far, or was not streamed.
struct Phases {
  std::optional<Duration> dns, connect, tls;
  std::optional<Duration> first_token;  ///< request written .. first text
  std::optional<Duration> generation;   ///< first text .. last text
  std::optional<Duration> close;        ///< last text .. end of the response
};

/// One request, as seen by the client. Immutable once made. Times in `timing` count from `start`.
struct ProbeResult {
  std::string request_id;  ///< sent as X-Request-Id
  Reason reason = Reason::kInternal;
  std::string detail;  ///< why, in words; bounded, printable, free of secrets
  std::optional<int> http_status;
  bool streamed = false;  ///< a 2xx with an event-stream body
  Time start{};           ///< the request was written (or, if it never was, begun)
  Time end{};             ///< the end mark, or the end of the response
  /// end - (start - dns - connect - tls); absent when the request was never written.
  std::optional<Duration> duration;
  Timing timing;
  Phases phases;
  std::vector<Time> arrivals;  ///< when each text event was read
  std::optional<std::int64_t> prompt_tokens, cached_prompt_tokens, reasoning_tokens;
  std::optional<std::string> finish_reason;
  std::string text, reasoning_text, tool_arguments;
  std::optional<double> retry_after_seconds;
  std::bitset<kWarningCount> warnings;
  std::vector<CheckResult> checks;
  // What was asked.
  int asked_input_tokens = 0;  ///< 0: no particular length
  int asked_output_tokens = 0;
  int prompt_words = 0;  ///< of a generated prompt; what the sizer learns from

  bool ok() const { return reason == Reason::kOk; }
  void warn(Warning warning) { warnings.set(static_cast<std::size_t>(warning)); }
};

/// How busy a server says it is. What it does not say is absent.
struct ServerLoad {
  std::optional<double> running;   ///< requests in its batch
  std::optional<double> waiting;   ///< requests in its queue
  std::optional<double> kv_usage;  ///< share of the KV cache in use, 0 to 1
  bool any() const { return running || waiting || kv_usage; }
};

/// The requests of one run: C workers together, each starting its next when its last ended.
/// Cancelled requests are not in it. Immutable once made.
struct RunResult {
  std::string target, probe;
  int concurrency = 1;
  int asked_input_tokens = 0;
  int asked_output_tokens = 0;
  WallTime started{};
  std::vector<ProbeResult> requests;    ///< the measured ones, in the order of their ends
  std::vector<ProbeResult> unmeasured;  ///< calibration: sent, counted and paid, but in no figure
  ServerLoad load;                      ///< as the server gave it just before the run
  Duration client_lag{0};               ///< longest stretch between two waits of the event loop
  bool cancelled = false;               ///< we stopped before all requests had been made
};

}  // namespace tokprobe
