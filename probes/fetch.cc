#include "probes/fetch.h"

namespace tokprobe {

Fetch::Fetch(HttpRequest request, Duration timeout, const Clock& clock)
    : request_(std::move(request)), timeout_(timeout), clock_(clock) {}

void Fetch::start(HttpTransport& transport) {
  begun_ = clock_.now();
  transport.start(request_, *this);
}

void Fetch::check_time(HttpTransport& transport, Time now) {
  if (!done_ && now - begun_ >= timeout_) transport.cancel(*this);
}

void Fetch::cancel(HttpTransport& transport) {
  if (!done_) transport.cancel(*this);
}

bool Fetch::on_body(std::string_view bytes, Time) {
  if (body_.size() + bytes.size() > kMaxBytes) return false;
  body_.append(bytes);
  return true;
}

void Fetch::on_end(const HttpOutcome& outcome, Time) {
  ok_ = outcome.end == TransferEnd::kComplete && head_.status == 200;
  done_ = true;
}

}  // namespace tokprobe
