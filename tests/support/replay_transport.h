#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "probes/transport/transport.h"
#include "tests/support/fake_clock.h"

namespace tokprobe {

/// What a scripted server does with one request. Times count from the sending of the request.
struct Script {
  struct Read {
    Duration at{0};
    std::string bytes;
  };
  Duration dns = std::chrono::microseconds(10);
  Duration connect = std::chrono::microseconds(100);
  std::optional<Duration> tls;
  bool kept = false;     ///< on a kept connection: no phases, and no time for them
  bool connects = true;  ///< false: `end` comes at `end_at` without a connection
  std::optional<HttpHead> head;
  Duration head_at{0};
  std::vector<Read> reads;
  TransferEnd end = TransferEnd::kComplete;
  Duration end_at{0};
  bool hangs = false;  ///< no end at all
  std::string detail;
};

/// A head with status 200 and an event-stream body.
HttpHead stream_head();

/// The second transport: plays scripts against a FakeClock, which it moves from happening to
/// happening. Each started request takes what `next_script` gives it. Exact: a test may demand
/// nanoseconds.
class ReplayTransport final : public HttpTransport {
 public:
  ReplayTransport(FakeClock& clock, std::function<Script(const HttpRequest&)> next_script)
      : clock_(clock), next_script_(std::move(next_script)) {}

  void start(const HttpRequest& request, HttpSink& sink) override;
  void cancel(HttpSink& sink) override;
  void run_until(Time until) override;
  void wake() override { woken_ = true; }
  Duration take_lag() override { return Duration::zero(); }

  /// Every request that was started, in order.
  const std::vector<HttpRequest>& requests() const { return requests_; }
  std::size_t under_way() const { return transfers_.size(); }
  /// The most transfers that were under way at once.
  std::size_t most_at_once() const { return most_; }

 private:
  struct Transfer {
    HttpSink* sink;
    Script script;
    Time begun;
    bool sent = false;
    bool head_given = false;
    std::size_t next_read = 0;
    Duration setup() const;
    /// When its next happening is due, if there is one.
    std::optional<Time> due() const;
  };
  bool step(std::size_t index);
  void end(std::size_t index, TransferEnd how, std::string detail);

  FakeClock& clock_;
  std::function<Script(const HttpRequest&)> next_script_;
  std::vector<Transfer> transfers_;
  std::vector<HttpRequest> requests_;
  std::size_t most_ = 0;
  bool woken_ = false;
};

}  // namespace tokprobe
