#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probes/probe.h"
#include "tests/support/replay_transport.h"

namespace tokprobe {

/// What a test asks of a probe.
struct Asked {
  std::string_view api = "openai-chat";
  Timeouts timeouts = {};
  int input_tokens = 0;
  int output_tokens = 16;
};

/// One probe against one scripted server. Time moves only where the test says so.
class Player {
 public:
  explicit Player(Script script, Asked asked = {});
  /// Lets the server work until `since_start`, then looks at the time-outs once.
  void play_until(Duration since_start);
  /// Looks at the time-outs every millisecond until the probe is done (an hour at most).
  ProbeResult finish();
  Probe& probe() { return probe_; }
  ReplayTransport& transport() { return transport_; }
  const FakeClock& clock() const { return clock_; }
  Time start() const { return start_; }

 private:
  FakeClock clock_;
  Time start_;
  ReplayTransport transport_;
  Probe probe_;
};

/// Plays the script to its end.
ProbeResult play(Script script, Asked asked = {});

/// A 200 event stream over a connection that takes no time, so that times in results are the
/// times of the script.
Script stream(std::vector<Script::Read> reads, TransferEnd end = TransferEnd::kComplete);
/// A response that is one document or an error page.
Script response(int status, std::string_view type, std::string_view body,
                Duration at = std::chrono::milliseconds(50));

std::string text_event(std::string_view text);
std::string finish_event(std::string_view reason);
std::string usage_event(int prompt_tokens, int output_tokens);
inline constexpr std::string_view kDone = "data: [DONE]\n\n";
/// A finish event, figures and the end mark.
std::string ending(int prompt_tokens, int output_tokens, std::string_view reason = "stop");

std::vector<std::string_view> warnings_of(const ProbeResult& result);
/// Sum of the phases that are known.
Duration sum_of(const Phases& phases);

}  // namespace tokprobe
