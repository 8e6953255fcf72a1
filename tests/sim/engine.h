#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tests/sim/decode_curve.h"

namespace tokprobe_sim {

struct EngineParams {
  double ttft = 0.05;       // fixed part of the time to first token, s
  double prefill_rate = 0;  // prompt tokens/s, one prompt after the other; 0: prompts cost nothing
  DecodeCurve decode;       // tokens/s of one request
  int max_running = 16;     // more requests wait, first come first served
  double jitter = 0;        // 0..1, see Engine
  double settle = 0.05;     // s, see Engine
  uint64_t seed = 1;
};

struct Work {
  uint64_t id = 0;         // unique
  int prefill_tokens = 0;  // prompt tokens that no cache holds
  int context_tokens = 0;  // all prompt tokens, for kv_tokens()
  int output_tokens = 1;   // at least 1
  double extra_delay = 0;  // s, added to the first token
  bool hold = false;       // keeps its place after the last token, until release()
};

struct Placement {
  double admitted = 0;  // s
  int concurrency = 0;  // running requests just after the admission, itself included
};

// The batching model: a value, advanced by calls that carry the time (s, any epoch, never behind an
// earlier call by more than a scheduling delay). Nothing here reads a clock. Not thread-safe.
//
//   admitted       = arrival, or the moment at which a place became free
//   prefill start  = max(admitted, end of the prefill before it)
//   first token    = prefill start + prefill_tokens / prefill_rate + ttft * (1 + jitter*u) + extra
//   token k (0..)  = the time at which the integral of rate over time since the first token is k
//   rate           = decode(batch) * (1 + jitter*v)
// where u, v in [-1, 1) are drawn per request; each token k > 0 is moved by jitter*w/rate,
// w in [-0.5, 0.5), which does not add up. With jitter 0 and a constant load token k is due at
// exactly first + k / rate.
//
// `batch` follows the number of running (prefilling or decoding) requests: up at once, down
// `settle` seconds after the first departure that was not replaced. So a run with a fixed number of
// workers, whose requests end and start some milliseconds apart, decodes at one rate throughout.
class Engine {
 public:
  explicit Engine(EngineParams params) : params_(params) {}

  void submit(const Work& work, double arrival);
  // Forgets a request, in whatever state; its place is free from `now`.
  void release(uint64_t id, double now);
  void step(double now);
  void set_params(EngineParams params, double now);

  // When the next request ends or the batch shrinks; step() has nothing to do before it.
  std::optional<double> next_time() const;
  // When token `token` (0..) is due under the present rates; absent while it waits for a place.
  // Past due times may be approximate once the rate has changed.
  std::optional<double> due(uint64_t id, int token) const;
  std::optional<Placement> placement(uint64_t id) const;
  // Requests whose due times became known or moved forward since the last call.
  std::vector<uint64_t> take_woken();

  int running() const { return static_cast<int>(running_.size()); }
  int waiting() const { return static_cast<int>(queue_.size()); }
  double kv_tokens(double now) const;  // prompt and generated tokens of all running requests

 private:
  struct Slot {
    Work work;
    double arrival = 0;
    std::optional<Placement> placement;
    double prefill_start = 0;
    double prefill_end = 0;
    double factor = 1;       // of the rate, this request's jitter
    double anchor_time = 0;  // first token, later the last change of rate
    double anchor_tokens = 0;
    double rate = 1;
  };

  void admit(Slot& slot, double when);
  void admit_waiting(double when);
  void retire(uint64_t id, double when);
  void set_batch(int batch, double when);
  void rate_changed(double when);
  double token_time(const Slot& slot, int token) const;
  double end_time(const Slot& slot) const;

  EngineParams params_;
  std::unordered_map<uint64_t, Slot> slots_;  // waiting, running, and ended but not yet released
  std::deque<uint64_t> queue_;
  std::vector<uint64_t> running_;
  std::vector<uint64_t> woken_;
  double clock_ = -std::numeric_limits<double>::infinity();
  double prefill_free_ = -std::numeric_limits<double>::infinity();
  double place_free_ = -std::numeric_limits<double>::infinity();
  int batch_ = 0;
  std::optional<double> shrink_at_;
};

}  // namespace tokprobe_sim
