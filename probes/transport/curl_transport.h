#pragma once

#include <memory>

#include "probes/base/clock.h"
#include "probes/transport/transport.h"

namespace tokprobe {

/// The real transport: libcurl's multi interface on epoll. Long-lived: it holds the CA store and
/// the kept connections. HTTP/2 never shares a connection (C requests are C connections),
/// redirects are not followed, and a request is never sent twice: where libcurl would repeat it
/// on a new connection, the transfer ends with kReset.
class CurlTransport final : public HttpTransport {
 public:
  /// `clock` must outlive the transport. Throws std::runtime_error when the kernel refuses the
  /// descriptors it needs.
  explicit CurlTransport(const Clock& clock);
  ~CurlTransport() override;
  CurlTransport(const CurlTransport&) = delete;
  CurlTransport& operator=(const CurlTransport&) = delete;

  void start(const HttpRequest& request, HttpSink& sink) override;
  void cancel(HttpSink& sink) override;
  void run_until(Time until) override;
  void wake() override;
  Duration take_lag() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tokprobe
