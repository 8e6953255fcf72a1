#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probes/base/clock.h"
#include "probes/stream/event.h"

namespace tokprobe {

/// Where a token count comes from, the best first.
enum class TokenSource { kUsage, kNative, kEvents, kNone };
std::string_view label(TokenSource source);

/// Figures of one response. This is the only place where they are defined. Times count from
/// `start`, the moment the request was written on a ready connection; a text event is a frame with
/// non-empty generated text of any channel.
struct Timing {
  std::optional<Duration> ttft;          ///< first text event - start
  std::optional<Duration> first_answer;  ///< first answer (not reasoning, not tool) text - start
  std::optional<Duration> last_token;    ///< last text event - start
  std::optional<Duration> gap_max;       ///< longest time between successive text events
  /// (last_token - ttft) / (output_tokens - tokens in the first event, 1 when unknown).
  /// Absent below 2 tokens, and when all text came within kOneInstant.
  std::optional<Duration> tpot;
  std::int64_t output_tokens = 0;  ///< the server's figure, else the number of text events
  TokenSource token_source = TokenSource::kNone;
  bool burst = false;  ///< all text at one instant, or more than half of the gaps below kNoGap
};

/// Text that arrives within this time is taken to have come at one instant.
inline constexpr Duration kOneInstant = std::chrono::milliseconds(5);
/// A gap below this is no pause of a decoder but of a buffer that was emptied.
inline constexpr Duration kNoGap = std::chrono::microseconds(200);

/// Gathers the events of one response. Not thread-safe.
class Timeline {
 public:
  /// Takes the events of one frame, read at `at`.
  void add(const std::vector<StreamEvent>& events, Time at);
  /// The figures, for a request that was written at `start`.
  Timing timing(Time start) const;

  const std::string& text() const { return text_; }
  const std::string& reasoning_text() const { return reasoning_; }
  const std::string& tool_arguments() const { return tool_; }
  const Usage& usage() const { return usage_; }
  const std::optional<std::string>& finish_reason() const { return finish_; }
  bool terminal() const { return terminal_; }
  bool any_text() const { return !arrivals_.empty(); }
  /// When each text event was read, in order.
  const std::vector<Time>& arrivals() const { return arrivals_; }

 private:
  void add_usage(const Usage& usage);
  bool add_text(const TokenDelta& delta, Time at);

  std::vector<Time> arrivals_;
  std::optional<Time> first_answer_;
  std::int64_t first_event_tokens_ = 1;
  Usage usage_;
  std::optional<std::string> finish_;
  bool terminal_ = false;
  std::string text_, reasoning_, tool_;
};

}  // namespace tokprobe
