#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "probes/base/clock.h"
#include "probes/base/timeouts.h"
#include "probes/dialects/dialect.h"
#include "probes/result.h"
#include "probes/stream/framer.h"
#include "probes/transport/transport.h"

namespace tokprobe {

/// One request to make.
struct ProbeSpec {
  const Dialect* dialect = nullptr;
  HttpRequest request;  ///< method, URL, headers and body complete
  Timeouts timeouts;
  std::string request_id;
  int asked_input_tokens = 0;
  int asked_output_tokens = 0;
  int prompt_words = 0;
};

/// One request on its way: a state machine that turns what the transport reads into a ProbeResult.
/// Belongs to the transport's thread; must outlive its transfer.
class Probe final : public HttpSink, private FrameSink {
 public:
  Probe(ProbeSpec spec, const Clock& clock);
  /// Call once.
  void start(HttpTransport& transport);
  /// Ends the request if a time-out has passed. Comments of a stream reset no clock.
  void check_time(HttpTransport& transport, Time now);
  /// Ends the request with reason `cancelled`.
  void cancel(HttpTransport& transport);
  bool done() const { return done_; }
  /// Requires done(). Leaves the probe empty.
  ProbeResult take();

  void on_sent(Time t) override;
  void on_headers(const HttpHead& head, Time t) override;
  bool on_body(std::string_view bytes, Time t) override;
  void on_end(const HttpOutcome& outcome, Time t) override;

 private:
  void on_frame(const Frame& frame) override;
  bool success_status() const;
  void fail(Reason reason, std::string detail, Time t);
  std::optional<Reason> timed_out(Time now) const;
  void finish_framing(Time t);
  Reason judge(const HttpOutcome& outcome);
  Reason judge_content();
  Reason judge_status();
  void fill(const HttpOutcome& outcome);
  void fill_phases(const HttpOutcome& outcome);
  void add_warnings();

  ProbeSpec spec_;
  const Clock& clock_;
  ProbeResult result_;
  std::unique_ptr<StreamParser> parser_;
  Timeline timeline_;
  std::vector<StreamEvent> events_;  ///< scratch
  SseFramer sse_;
  BodyFramer document_;
  std::string error_body_;  ///< the beginning of a body that is not a success
  std::size_t body_bytes_ = 0;
  Time begun_{};
  std::optional<Time> sent_;
  std::optional<Time> last_event_;     ///< of any event that is not a comment
  std::optional<Time> settled_;        ///< the end mark or the first failure was seen
  std::optional<Reason> failure_;      ///< the first one wins
  std::optional<Reason> ended_by_us_;  ///< the time-out or the cancellation
  bool done_ = false;
};

}  // namespace tokprobe
