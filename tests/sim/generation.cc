#include "tests/sim/generation.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tests/sim/clock.h"

namespace tokprobe_sim {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

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
  if (settings_->prefix_cache)
    record_.cached_tokens = shared_.prefixes.look_up(request_.prompt_tokens);
  Work work;
  work.id = record_.id;
  work.context_tokens = record_.prompt_tokens;
  work.prefill_tokens = record_.prompt_tokens - record_.cached_tokens;
  work.output_tokens = plan_.output_tokens;
  work.extra_delay = faulty(FaultKind::kSlow) ? fault_->seconds : 0;
  work.hold = faulty(FaultKind::kStall) || faulty(FaultKind::kNever);
  shared_.scheduler.submit(work, record_.received, connection_.wake_fd());
  shared_.counters.prompt_tokens += static_cast<uint64_t>(record_.prompt_tokens);
}

Generation::~Generation() {
  finish("abort");
  shared_.scheduler.release(record_.id);
}

bool Generation::wait_for(int token) {
  while (true) {
    const double due = shared_.scheduler.due(record_.id, token).value_or(kNever);
    if (now_seconds() >= due) return true;
    if (connection_.wait_until(due) == Connection::Wake::kGone) return false;
  }
}

void Generation::hang() {
  while (connection_.wait_until(kNever) != Connection::Wake::kGone) {
  }
}

bool Generation::breaks_off() const {
  return faulty(FaultKind::kReset) || faulty(FaultKind::kTruncate) || faulty(FaultKind::kStall) ||
         faulty(FaultKind::kError);
}

bool Generation::break_off(const Write& write) {
  switch (fault_->kind) {
    case FaultKind::kReset:
      connection_.reset();
      return false;
    case FaultKind::kStall:
      hang();
      return false;
    case FaultKind::kError:
      finish("error");
      return write(ResponseWriter::error_event("the engine failed (a simulated fault)") +
                   ResponseWriter::done_event());
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

bool Generation::stream(const Write& write) {
  const int limit =
      breaks_off() ? std::min(fault_->after_tokens, plan_.output_tokens) : plan_.output_tokens;
  std::string held;
  int held_tokens = 0;
  for (int begin = 0, end = 0; begin < limit; begin = end) {
    end = std::min(begin == 0 ? 1 : begin + settings_->tokens_per_chunk, limit);
    held += events(begin, end);
    held_tokens += end - begin;
    const bool last = end == plan_.output_tokens;
    if (last && !breaks_off()) held += closing_events();
    if (!wait_for(end - 1)) return false;
    if (faulty(FaultKind::kBuffered) && !last) continue;
    stamp(held_tokens);
    if (!write(held)) return false;
    shared_.counters.generation_tokens += static_cast<uint64_t>(held_tokens);
    held.clear();
    held_tokens = 0;
  }
  // An error before the first token comes when that token would have come, not at once.
  if (breaks_off()) return (limit > 0 || wait_for(0)) && break_off(write);
  finish(plan_.finish_reason);
  return true;
}

std::optional<std::string> Generation::whole() {
  const int limit =
      breaks_off() ? std::clamp(fault_->after_tokens, 1, plan_.output_tokens) : plan_.output_tokens;
  if (!wait_for(limit - 1)) return std::nullopt;
  if (faulty(FaultKind::kError)) {
    record_.status = 500;
    finish("error");
    return error_body({500, "the engine failed (a simulated fault)", "InternalServerError", ""});
  }
  if (breaks_off()) {
    break_off([](std::string_view) { return false; });
    return std::nullopt;
  }
  std::string reasoning, answer;
  for (int token = 0; token < limit; ++token)
    (is_reasoning(token) ? reasoning : answer) += text_.next();
  const UsageCounts usage = *usage_of(limit, true);
  std::string body = writer_.whole(reasoning, answer, plan_.finish_reason, usage);
  shared_.counters.generation_tokens += static_cast<uint64_t>(limit);
  stamp(limit);
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
  const std::optional<Placement> placement = shared_.scheduler.placement(record_.id);
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
