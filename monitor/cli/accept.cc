#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>

#include "monitor/cli/interruptible.h"
#include "monitor/cli/options.h"
#include "monitor/cli/output.h"
#include "probes/base/text.h"
#include "probes/drive.h"
#include "probes/endpoint.h"
#include "probes/transport/curl_transport.h"

namespace tokprobe {
namespace {

constexpr Duration kTimeout = std::chrono::seconds(10);
constexpr std::size_t kMostText = 4096;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

// One small request and its answer.
class Exchange final : public HttpSink {
 public:
  Exchange(HttpRequest request, HttpTransport& transport)
      : request_(std::move(request)), transport_(transport) {}
  void pump(Time now) {
    if (begun_ == Time{}) {
      begun_ = now;
      transport_.start(request_, *this);
    } else if (!done_ && now - begun_ > kTimeout) {
      transport_.cancel(*this);
    }
  }
  bool done() const { return done_; }
  void cancel() {
    if (!done_) transport_.cancel(*this);
  }

  void on_sent(Time) override {}
  void on_headers(const HttpHead& head, Time) override { status = head.status; }
  bool on_body(std::string_view bytes, Time) override {
    text.append(bytes.substr(0, kMostText - std::min(kMostText, text.size())));
    return true;
  }
  void on_end(const HttpOutcome& outcome, Time) override {
    done_ = true;
    complete = outcome.end == TransferEnd::kComplete;
    detail = outcome.end == TransferEnd::kCancelled ? "no answer in 10 s" : outcome.detail;
  }

  int status = 0;
  bool complete = false;
  std::string text, detail;

 private:
  HttpRequest request_;
  HttpTransport& transport_;
  Time begun_{};
  bool done_ = false;
};

int accept(const Endpoint& agent, const std::string& target, const std::stop_token& stop) {
  const auto request =
      make_request(agent, "/-/accept?target=" + escaped(target), "{}", "tokprobe-accept");
  if (!request) {
    complain(fmt::format("tokprobe accept: {}\n", request.error()));
    return 1;
  }
  const SteadyClock clock;
  CurlTransport transport(clock);
  Exchange exchange(*request, transport);
  drive(exchange, transport, clock, stop);
  exchange.cancel();
  if (!exchange.complete) {
    complain(fmt::format("tokprobe accept: {}: {}\n", agent.url.masked(), exchange.detail));
    return 2;
  }
  const std::string said = printable(trim(exchange.text), 400);
  if (exchange.status != 200) {
    complain(fmt::format("tokprobe accept: {} said {}: {}\n", agent.url.masked(), exchange.status,
                         said));
    return 2;
  }
  return emit(said + "\n", 0);
}

}  // namespace

int run_accept(const AcceptOptions& o) {
  const auto url = parse_url(o.agent);
  if (!url) {
    complain(fmt::format("tokprobe accept: --agent: {}\n", url.error()));
    return 1;
  }
  const Endpoint agent{*url, "", "", false, "", {}};
  const Interrupted end =
      run_interruptible([&](const std::stop_token& stop) { return accept(agent, o.target, stop); });
  return end.signal != 0 ? 128 + end.signal : end.code;
}

}  // namespace tokprobe
