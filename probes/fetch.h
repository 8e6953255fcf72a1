#pragma once

#include <string>

#include "probes/base/clock.h"
#include "probes/transport/transport.h"

namespace tokprobe {

/// One small GET on its way, such as a server's model list. Belongs to the transport's thread.
class Fetch final : public HttpSink {
 public:
  static constexpr std::size_t kMaxBytes = 4U << 20U;

  Fetch(HttpRequest request, Duration timeout, const Clock& clock);
  void start(HttpTransport& transport);
  /// Ends the transfer when its time is over.
  void check_time(HttpTransport& transport, Time now);
  void cancel(HttpTransport& transport);
  bool done() const { return done_; }
  /// A complete 200 response.
  bool ok() const { return ok_; }
  const HttpHead& head() const { return head_; }
  const std::string& body() const { return body_; }

  void on_sent(Time) override {}
  void on_headers(const HttpHead& head, Time) override { head_ = head; }
  bool on_body(std::string_view bytes, Time) override;
  void on_end(const HttpOutcome& outcome, Time) override;

 private:
  HttpRequest request_;
  Duration timeout_;
  const Clock& clock_;
  Time begun_{};
  HttpHead head_;
  std::string body_;
  bool ok_ = false;
  bool done_ = false;
};

}  // namespace tokprobe
