#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probes/base/clock.h"

namespace tokprobe {

/// One HTTP request as it goes out. A plain value.
struct HttpRequest {
  std::string method = "POST";
  std::string url;                   ///< absolute; user information in it is sent as basic auth
  std::vector<std::string> headers;  ///< "Name: value"
  std::string body;
  bool fresh_connection = true;  ///< false: a kept connection may be used
  std::string ca_file;           ///< PEM; empty: the system's store
  bool insecure = false;         ///< no certificate check
  std::string proxy;             ///< empty: none, whatever the environment says
};

/// Status and headers of a response. Names are lower case.
struct HttpHead {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  /// The first value of a header, or an empty view.
  std::string_view get(std::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (key == name) return value;
    }
    return {};
  }
};

/// What ended a transfer.
enum class TransferEnd {
  kComplete,   ///< the response ended as HTTP says it should
  kStopped,    ///< the sink said stop
  kCancelled,  ///< cancel() was called
  kDns,
  kConnect,
  kTls,
  kReset,      ///< cut by the peer, or closed before a byte came
  kTruncated,  ///< the body ended before its announced length
  kProtocol,   ///< not valid HTTP, or a header limit was passed
  kInternal,   ///< a fault on our side
};

struct HttpOutcome {
  TransferEnd end = TransferEnd::kComplete;
  std::string detail;  ///< in words, empty when complete
  bool resolved = false;
  bool connected = false;  ///< a connection, with TLS where asked, was ready
  /// Phases before the request was written; absent on a kept connection or when not reached.
  std::optional<Duration> dns, connect, tls;
};

/// Receives one response. Every `t` is the monotonic instant at which the bytes were read, taken
/// before anything looks at them. Calls come from the transport's thread. A sink must outlive its
/// transfer, and must not call the transport from inside on_sent, on_headers or on_body.
class HttpSink {
 public:
  virtual ~HttpSink() = default;
  /// A ready connection starts to send the request.
  virtual void on_sent(Time t) = 0;
  /// The final head has come (informational ones are passed over).
  virtual void on_headers(const HttpHead& head, Time t) = 0;
  /// Decoded body bytes, valid during the call. False ends the transfer (kStopped).
  virtual bool on_body(std::string_view bytes, Time t) = 0;
  /// The last call. The sink may start another transfer from here.
  virtual void on_end(const HttpOutcome& outcome, Time t) = 0;
};

/// An event loop over many transfers; the only place that takes arrival times. One thread owns it
/// and makes all calls, wake() excepted.
class HttpTransport {
 public:
  virtual ~HttpTransport() = default;
  /// Begins a transfer; nothing is called back before run_until.
  virtual void start(const HttpRequest& request, HttpSink& sink) = 0;
  /// Ends the sink's transfer now: on_end(kCancelled) is called before this returns.
  virtual void cancel(HttpSink& sink) = 0;
  /// Works until `until`, or returns early when a transfer has ended or wake() was called.
  virtual void run_until(Time until) = 0;
  /// Makes run_until return soon. Safe from any thread and from signal-free callbacks.
  virtual void wake() = 0;
  /// The longest stretch between two waits since the last call: an upper bound for how late a
  /// time stamp can be because this loop was busy.
  virtual Duration take_lag() = 0;
};

}  // namespace tokprobe
