#pragma once

#include <cstdint>
#include <string>

#include "probes/base/result.h"
#include "probes/base/timeouts.h"
#include "probes/dialects/dialect.h"
#include "probes/endpoint.h"
#include "probes/probe.h"
#include "probes/prompts/prompt.h"
#include "probes/prompts/sizer.h"

namespace tokprobe {

/// What each request of a run asks for.
struct Shape {
  int input_tokens = 0;    ///< length of a generated prompt; 0 when `prompt` is given
  int output_tokens = 16;  ///< at most; with ignore_eos exactly
  std::string prompt;      ///< sent as it is; empty: one is generated
  bool ignore_eos = false;
  bool reuse_connection = false;
  Timeouts timeouts;
};

/// Makes the requests of one target and learns from their results how long its prompts must be.
/// Not thread-safe: belongs to the target's loop.
class Requester {
 public:
  /// `seed` decides prompts and request ids.
  Requester(Endpoint endpoint, const Dialect& dialect, std::string model, std::uint64_t seed);

  /// The next request of this shape, with a fresh prompt.
  Result<ProbeSpec> make(const Shape& shape);
  /// A request that only serves to learn the token count of `words` words: one token of output.
  Result<ProbeSpec> make_calibration(const Shape& shape, int words);
  /// False once a calibration was in vain: later results teach as much, and a server that does not
  /// answer is not asked twice in a run.
  bool worth_calibrating() const { return !gave_up_ && !sizer_.calibrated(); }
  void give_up_calibration() { gave_up_ = true; }
  /// Learns from the server's prompt token count.
  void learn(const ProbeResult& result);

  void set_model(std::string model) { model_ = std::move(model); }
  const std::string& model() const { return model_; }
  const Endpoint& endpoint() const { return endpoint_; }
  const Dialect& dialect() const { return *dialect_; }
  PromptSizer& sizer() { return sizer_; }
  const PromptSizer& sizer() const { return sizer_; }

 private:
  Result<ProbeSpec> make_spec(const Shape& shape, std::string prompt, int words, int max_tokens);

  Endpoint endpoint_;
  const Dialect* dialect_;
  std::string model_;
  PromptMaker prompts_;
  PromptSizer sizer_;
  std::uint64_t id_;
  std::uint64_t count_ = 0;
  bool gave_up_ = false;
};

}  // namespace tokprobe
