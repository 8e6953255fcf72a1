#include "tests/sim/generation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tests/sim/clock.h"

namespace tokprobe_sim {
namespace {

// One chunk of a body with Transfer-Encoding: chunked.
std::string chunk(const std::string& bytes) {
  return fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes);
}

}  // namespace

Generation::Generation(Shared& shared, Connection& connection, GenerationRequest request,
                       std::optional<Fault> fault, TruthRecord record)
    : shared_(shared),
      connection_(connection),
      settings_(shared.settings.get()),
      request_(std::move(request)),
      fault_(fault),
      record_(std::move(record)),
      plan_(make_plan(request_, *settings_, record_.id)),
      writer_(request_, record_.id),
      text_(settings_->text, settings_->engine.seed, record_.id) {
  record_.stream = request_.stream;
  record_.prompt_tokens = static_cast<int>(request_.prompt_tokens.size());
  if (settings_->prefix_cache) {
    record_.cached_tokens = shared_.prefixes.look_up(request_.prompt_tokens);
  }
  limit_ = plan_.output_tokens;
  if (breaks_off()) limit_ = std::min(limit_, fault_->after_tokens);
}

void Generation::submit() {
  Work work;
  work.id = record_.id;
  work.context_tokens = record_.prompt_tokens;
  work.prefill_tokens = record_.prompt_tokens - record_.cached_tokens;
  work.output_tokens = plan_.output_tokens;
  work.extra_delay = faulty(FaultKind::kSlow) ? fault_->seconds : 0;
  work.hold = faulty(FaultKind::kStall) || faulty(FaultKind::kNever);
  shared_.scheduler.submit(work, record_.received, *this);
  shared_.counters.prompt_tokens += static_cast<uint64_t>(record_.prompt_tokens);
}

Generation::~Generation() { finish("abort"); }

bool Generation::wait_until_done() {
  while (!done_) {
    if (!connection_.wait()) return done_;  // a peer may leave as soon as it has the last event
  }
  return true;
}

void Generation::hang() {
  if (!done_) submit();
  while (connection_.wait()) {
  }
}

bool Generation::breaks_off() const {
  return faulty(FaultKind::kReset) || faulty(FaultKind::kTruncate) || faulty(FaultKind::kStall) ||
         faulty(FaultKind::kError);
}

bool Generation::break_off() {
  switch (fault_->kind) {
    case FaultKind::kReset:
      connection_.reset();
      return false;
    case FaultKind::kStall:
      hang();
      return false;
    case FaultKind::kError:
      connection_.push(chunk(ResponseWriter::error_event("the engine failed (a simulated fault)") +
                             ResponseWriter::done_event()));
      finish("error");
      return connection_.flush();
    default:
      return false;
  }
}

void Generation::stamp(int tokens) {
  const double now = now_seconds();
  if (!record_.first_token_written) record_.first_token_written = now;
  record_.last_token_written = now;
  record_.output_tokens += tokens;
  if (record_.chunk_times.size() < TruthLog::kMaxChunksEach) {
    record_.chunk_times.emplace_back(now, tokens);
  }
}

bool Generation::stream() {
  prepare();
  // A fault before the first token comes when that token would have come, not at once.
  next_token_ = std::max(end_ - 1, 0);
  submit();
  if (!wait_until_done() || !connection_.flush()) return false;
  if (breaks_off()) return break_off();
  finish(plan_.finish_reason);
  return true;
}

void Generation::prepare() {
  const int begin = end_;
  end_ = std::min(begin == 0 ? 1 : begin + settings_->tokens_per_chunk, limit_);
  held_ += events(begin, end_);
  held_tokens_ += end_ - begin;
  if (end_ == plan_.output_tokens && !breaks_off()) held_ += closing_events();
  next_token_ = end_ - 1;
}

void Generation::fire() {
  if (request_.stream && held_tokens_ > 0 && (end_ == limit_ || !faulty(FaultKind::kBuffered))) {
    const std::string bytes = chunk(held_);
    stamp(held_tokens_);
    connection_.push(bytes);
    shared_.counters.generation_tokens += static_cast<uint64_t>(held_tokens_);
    held_.clear();
    held_tokens_ = 0;
  }
  if (request_.stream && end_ < limit_) return prepare();
  next_token_.reset();
  done_ = true;
  connection_.wake();
}

std::optional<std::string> Generation::whole() {
  next_token_ = std::max(limit_ - 1, 0);
  submit();
  if (!wait_until_done()) return std::nullopt;
  if (faulty(FaultKind::kError)) {
    record_.status = 500;
    finish("error");
    return error_body({500, "the engine failed (a simulated fault)", "InternalServerError", ""});
  }
  if (breaks_off()) {
    break_off();
    return std::nullopt;
  }
  std::string reasoning, answer;
  for (int token = 0; token < limit_; ++token) {
    (is_reasoning(token) ? reasoning : answer) += text_.next();
  }
  std::string body = writer_.whole(reasoning, answer, plan_.finish_reason, *usage_of(limit_, true));
  shared_.counters.generation_tokens += static_cast<uint64_t>(limit_);
  stamp(limit_);
  finish(plan_.finish_reason);
  return body;
}

// The tokens [begin, end): one event, or two where reasoning turns into the answer.
std::string Generation::events(int begin, int end) {
  const bool continuous = request_.continuous_usage && settings_->usage != UsageMode::kNever;
  std::string out;
  if (begin == 0 && request_.chat) out += writer_.role_event(usage_of(0, continuous));
  while (begin < end) {
    const bool reasoning = is_reasoning(begin);
    std::string text;
    for (; begin < end && is_reasoning(begin) == reasoning; ++begin) text += text_.next();
    const bool last = begin == plan_.output_tokens;
    out += writer_.text_event(
        reasoning ? ResponseWriter::Channel::kReasoning : ResponseWriter::Channel::kAnswer, text,
        last ? plan_.finish_reason : nullptr, usage_of(begin, continuous));
  }
  return out;
}

std::string Generation::closing_events() const {
  const bool wanted = settings_->usage == UsageMode::kAlways ||
                      (settings_->usage == UsageMode::kAsked && request_.include_usage);
  std::string out;
  if (wanted) out += writer_.usage_event(*usage_of(plan_.output_tokens, true));
  return out + ResponseWriter::done_event();
}

std::optional<UsageCounts> Generation::usage_of(int tokens, bool wanted) const {
  if (!wanted) return std::nullopt;
  UsageCounts usage;
  usage.prompt = record_.prompt_tokens;
  usage.cached = settings_->prefix_cache ? record_.cached_tokens : -1;
  usage.output = tokens;
  usage.reasoning = request_.chat ? std::min(tokens, settings_->reasoning_tokens) : 0;
  return usage;
}

void Generation::finish(const char* reason) {
  if (std::exchange(finished_, true)) return;
  const std::optional<Placement> placement = shared_.scheduler.release(record_.id);
  if (placement) {
    record_.admitted = placement->admitted;
    record_.concurrency = placement->concurrency;
  }
  record_.finish_reason = reason;
  record_.ended = now_seconds();
  shared_.counters.finish(reason);
  shared_.log.add(record_);
}

}  // namespace tokprobe_sim
