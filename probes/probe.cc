#include "probes/probe.h"

#include <algorithm>

#include "probes/base/text.h"
#include "probes/redact.h"
#include "probes/retry_after.h"

namespace tokprobe {
namespace {

// How long a server may take to close after its end mark or after a failure; then we hang up.
constexpr Duration kGrace = std::chrono::milliseconds(200);
constexpr std::size_t kErrorBodyBytes = 4096;

bool is_stream(const HttpHead& head) {
  const std::string type = lower(head.get("content-type"));
  return type.starts_with("text/event-stream") || type.starts_with("application/x-ndjson");
}

bool names_abort(std::string_view finish) {
  return finish == "abort" || finish == "error" || finish == "parse_error" ||
         finish == "connection closed";
}

}  // namespace

Probe::Probe(ProbeSpec spec, const Clock& clock)
    : spec_(std::move(spec)), clock_(clock), parser_(spec_.dialect->make_parser()) {
  result_.request_id = spec_.request_id;
  result_.asked_input_tokens = spec_.asked_input_tokens;
  result_.asked_output_tokens = spec_.asked_output_tokens;
  result_.prompt_words = spec_.prompt_words;
}

void Probe::start(HttpTransport& transport) {
  begun_ = clock_.now();
  transport.start(spec_.request, *this);
}

void Probe::on_sent(Time t) { sent_ = t; }

void Probe::on_headers(const HttpHead& head, Time) {
  result_.http_status = head.status;
  result_.streamed = success_status() && is_stream(head);
  if (!success_status()) {
    result_.retry_after_seconds = parse_retry_after(head.get("retry-after"), clock_.wall());
  }
}

bool Probe::success_status() const {
  // 204 and 205 have no body, hence no answer.
  const int status = result_.http_status.value_or(0);
  return status >= 200 && status < 300 && status != 204 && status != 205;
}

bool Probe::on_body(std::string_view bytes, Time t) {
  body_bytes_ += bytes.size();
  if (body_bytes_ > kMaxBodyBytes) {
    fail(Reason::kProtocolError, "the body is larger than 64 MiB", t);
    return false;
  }
  if (!success_status()) {
    error_body_.append(
        bytes.substr(0, kErrorBodyBytes - std::min(kErrorBodyBytes, error_body_.size())));
    return true;
  }
  if (timeline_.terminal()) return true;  // whatever follows the end mark is not part of the answer
  const bool fits = result_.streamed ? sse_.feed(bytes, t, *this) : document_.feed(bytes);
  if (!fits) fail(Reason::kProtocolError, "a line or event is larger than 8 MiB", t);
  return fits;
}

void Probe::on_frame(const Frame& frame) {
  if (timeline_.terminal()) return;
  events_.clear();
  if (result_.streamed) {
    parser_->parse(frame, events_);
  } else {
    parser_->parse_document(frame, events_);
  }
  last_event_ = frame.at;
  if (failure_) {
    // The request has failed: what still comes can only tell what it cost.
    std::erase_if(events_, [](const StreamEvent& e) { return !std::holds_alternative<Usage>(e); });
  }
  for (const StreamEvent& event : events_) {
    if (const auto* error = std::get_if<ServerError>(&event)) {
      fail(Reason::kStreamError, error->message, frame.at);
    } else if (const auto* bad = std::get_if<BadFrame>(&event)) {
      // A frame that was cut off by the end of the body is a truncation, judged at the end.
      if (frame.complete) fail(Reason::kBadPayload, bad->message, frame.at);
    }
  }
  timeline_.add(events_, frame.at);
  if (timeline_.terminal() && !settled_) settled_ = frame.at;
}

void Probe::fail(Reason reason, std::string detail, Time t) {
  if (failure_) return;
  failure_ = reason;
  result_.detail = std::move(detail);
  if (!settled_) settled_ = t;
}

std::optional<Reason> Probe::timed_out(Time now) const {
  if (now - begun_ >= spec_.timeouts.total) return Reason::kTimeoutTotal;
  if (!sent_) {
    if (now - begun_ >= spec_.timeouts.connect) return Reason::kTimeoutConnect;
    return std::nullopt;
  }
  if (!timeline_.any_text()) {
    if (now - *sent_ >= spec_.timeouts.first_token) return Reason::kTimeoutFirstToken;
    return std::nullopt;
  }
  if (now - *last_event_ >= spec_.timeouts.stall) return Reason::kTimeoutStall;
  return std::nullopt;
}

void Probe::check_time(HttpTransport& transport, Time now) {
  if (done_) return;
  if (settled_) {
    if (now - *settled_ >= kGrace) transport.cancel(*this);
    return;
  }
  ended_by_us_ = timed_out(now);
  if (ended_by_us_) transport.cancel(*this);
}

void Probe::cancel(HttpTransport& transport) {
  if (done_) return;
  ended_by_us_ = Reason::kCancelled;
  transport.cancel(*this);
}

void Probe::on_end(const HttpOutcome& outcome, Time t) {
  finish_framing(t);
  result_.end = std::min(settled_.value_or(t), t);
  fill(outcome);
  result_.reason = judge(outcome);
  if (result_.detail.empty() && !result_.ok()) result_.detail = row(result_.reason).meaning;
  result_.detail = redact(std::move(result_.detail), spec_.request);
  if (result_.ok()) add_warnings();
  done_ = true;
}

void Probe::finish_framing(Time t) {
  if (!success_status() || ended_by_us_ || failure_) return;
  if (result_.streamed) {
    sse_.finish(t, *this);
  } else if (body_bytes_ > 0) {
    document_.finish(t, *this);
  }
}

Reason Probe::judge(const HttpOutcome& outcome) {
  if (ended_by_us_ == Reason::kCancelled) return Reason::kCancelled;
  // A refusal is the news, whatever became of its body.
  if (result_.http_status && !success_status()) return judge_status();
  if (ended_by_us_ && !sent_ && !outcome.resolved) return Reason::kDns;
  if (ended_by_us_) return *ended_by_us_;
  if (failure_) return *failure_;
  // After the end mark nothing can spoil the answer any more.
  if (timeline_.terminal()) return judge_content();
  result_.detail = outcome.detail;
  switch (outcome.end) {
    case TransferEnd::kDns:
      return Reason::kDns;
    case TransferEnd::kConnect:
      return Reason::kConnect;
    case TransferEnd::kTls:
      return Reason::kTls;
    case TransferEnd::kReset:
      return Reason::kConnectionReset;
    case TransferEnd::kTruncated:
      return Reason::kTruncated;
    case TransferEnd::kProtocol:
      return Reason::kProtocolError;
    case TransferEnd::kInternal:
      return Reason::kInternal;
    case TransferEnd::kComplete:
    case TransferEnd::kStopped:
    case TransferEnd::kCancelled:
      break;
  }
  return judge_content();
}

Reason Probe::judge_content() {
  const std::string finish = timeline_.finish_reason().value_or("");
  if (names_abort(finish)) return Reason::kAborted;
  if (finish == "content_filter") return Reason::kContentFilter;
  if (!timeline_.terminal() && finish.empty() && (body_bytes_ > 0 || timeline_.any_text())) {
    return Reason::kTruncated;
  }
  return timeline_.any_text() ? Reason::kOk : Reason::kEmptyOutput;
}

Reason Probe::judge_status() {
  const int status = result_.http_status.value_or(0);
  result_.detail = error_text(error_body_);
  if (status == 401 || status == 403) return Reason::kUnauthorized;
  if (status == 429) return Reason::kRateLimited;
  if (status >= 400 && status < 500) return Reason::kHttp4xx;
  if (status >= 500 && status < 600) return Reason::kHttp5xx;
  return Reason::kHttpOther;
}

void Probe::fill(const HttpOutcome& outcome) {
  result_.start = sent_.value_or(begun_);
  result_.timing = timeline_.timing(result_.start);
  const Usage& usage = timeline_.usage();
  result_.prompt_tokens = usage.prompt;
  result_.cached_prompt_tokens = usage.cached;
  result_.reasoning_tokens = usage.reasoning;
  result_.finish_reason = timeline_.finish_reason();
  result_.text = timeline_.text();
  result_.reasoning_text = timeline_.reasoning_text();
  result_.tool_arguments = timeline_.tool_arguments();
  if (result_.streamed) {
    result_.arrivals = timeline_.arrivals();
  } else {
    // One arrival of everything says nothing about tokens: only the duration is known.
    Timing unknown;
    unknown.output_tokens = result_.timing.output_tokens;
    unknown.token_source = result_.timing.token_source;
    result_.timing = unknown;
  }
  fill_phases(outcome);
}

void Probe::fill_phases(const HttpOutcome& outcome) {
  Phases& p = result_.phases;
  p.dns = outcome.dns;
  p.connect = outcome.connect;
  p.tls = outcome.tls;
  if (!sent_) return;
  const Duration before = p.dns.value_or(Duration::zero()) + p.connect.value_or(Duration::zero()) +
                          p.tls.value_or(Duration::zero());
  result_.duration = result_.end - result_.start + before;
  const Timing& timing = result_.timing;
  if (!timing.ttft) return;
  p.first_token = timing.ttft;
  p.generation = *timing.last_token - *timing.ttft;
  p.close = result_.end - result_.start - *timing.last_token;
}

void Probe::add_warnings() {
  ProbeResult& r = result_;
  const auto warn_if = [&](bool condition, Warning warning) {
    if (condition) r.warn(warning);
  };
  const std::int64_t tokens = r.timing.output_tokens;
  const std::int64_t asked = r.asked_output_tokens;
  const bool counted =
      r.timing.token_source == TokenSource::kUsage || r.timing.token_source == TokenSource::kNative;
  warn_if(!r.streamed, Warning::kNotStreamed);
  warn_if(r.timing.burst, Warning::kBurst);
  warn_if(!timeline_.terminal(), Warning::kMissingDone);
  warn_if(!r.finish_reason, Warning::kMissingFinishReason);
  warn_if(r.text.empty() && r.tool_arguments.empty(), Warning::kNoAnswer);
  warn_if(asked >= 256 && 2 * tokens < asked, Warning::kShortOutput);
  warn_if(asked > 0 && tokens > asked, Warning::kLongOutput);
  warn_if(!counted, Warning::kUsageMissing);
  warn_if(counted && static_cast<std::int64_t>(r.arrivals.size()) > tokens,
          Warning::kUsageMismatch);
  if (r.asked_input_tokens > 0 && r.prompt_tokens) {
    const double ratio = static_cast<double>(*r.prompt_tokens) / r.asked_input_tokens;
    warn_if(ratio < 0.9 || ratio > 1.1, Warning::kPromptLength);
  }
  warn_if(r.cached_prompt_tokens.value_or(0) > 0, Warning::kPromptCached);
}

ProbeResult Probe::take() { return std::move(result_); }

}  // namespace tokprobe
