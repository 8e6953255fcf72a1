#include "probes/stream/timeline.h"

#include <algorithm>
#include <array>

namespace tokprobe {
namespace {

// Zero is what servers write before they know: it never replaces a figure.
void take(std::optional<std::int64_t>& into, const std::optional<std::int64_t>& value) {
  if (value && (*value > 0 || !into)) into = value;
}

bool came_in_bursts(const std::vector<Time>& arrivals, Duration span, std::int64_t tokens) {
  if (tokens >= 2 && span <= kOneInstant) return true;
  if (arrivals.size() < 2) return false;
  std::size_t tiny = 0;
  for (std::size_t i = 1; i < arrivals.size(); ++i) {
    tiny += arrivals[i] - arrivals[i - 1] < kNoGap ? 1 : 0;
  }
  return 2 * tiny > arrivals.size() - 1;
}

}  // namespace

std::string_view label(TokenSource source) {
  constexpr std::array<std::string_view, 4> kLabels{"usage", "native", "events", "none"};
  return kLabels[static_cast<std::size_t>(source)];
}

void Timeline::add(const std::vector<StreamEvent>& events, Time at) {
  bool text = false;
  const Usage* usage = nullptr;
  for (const StreamEvent& event : events) {
    if (const auto* delta = std::get_if<TokenDelta>(&event)) {
      text = add_text(*delta, at) || text;
    } else if (const auto* figures = std::get_if<Usage>(&event)) {
      add_usage(*figures);
      usage = figures;
    } else if (const auto* finish = std::get_if<Finish>(&event)) {
      if (!finish->reason.empty()) finish_ = finish->reason;
    } else if (std::holds_alternative<Terminal>(event)) {
      terminal_ = true;
    }
  }
  if (!text) return;
  // A running total beside the first text says how many tokens that text is.
  const bool counted = usage != nullptr && usage->output.value_or(0) > 0 && !finish_;
  if (arrivals_.empty() && counted) first_event_tokens_ = *usage->output;
  arrivals_.push_back(at);
}

bool Timeline::add_text(const TokenDelta& delta, Time at) {
  if (delta.text.empty()) return false;
  switch (delta.channel) {
    case Channel::kAnswer:
      if (!first_answer_) first_answer_ = at;
      text_ += delta.text;
      break;
    case Channel::kReasoning:
      reasoning_ += delta.text;
      break;
    case Channel::kTool:
      tool_ += delta.text;
      break;
  }
  return true;
}

void Timeline::add_usage(const Usage& usage) {
  take(usage_.prompt, usage.prompt);
  take(usage_.output, usage.output);
  take(usage_.cached, usage.cached);
  take(usage_.reasoning, usage.reasoning);
  usage_.native = usage.native;
}

Timing Timeline::timing(Time start) const {
  Timing t;
  if (usage_.output.value_or(0) > 0) {
    t.output_tokens = *usage_.output;
    t.token_source = usage_.native ? TokenSource::kNative : TokenSource::kUsage;
  } else if (!arrivals_.empty()) {
    t.output_tokens = static_cast<std::int64_t>(arrivals_.size());
    t.token_source = TokenSource::kEvents;
  }
  if (arrivals_.empty()) return t;
  t.ttft = arrivals_.front() - start;
  t.last_token = arrivals_.back() - start;
  if (first_answer_) t.first_answer = *first_answer_ - start;
  for (std::size_t i = 1; i < arrivals_.size(); ++i) {
    t.gap_max =
        std::max(t.gap_max.value_or(Duration::zero()), Duration(arrivals_[i] - arrivals_[i - 1]));
  }
  const Duration span = arrivals_.back() - arrivals_.front();
  const std::int64_t after_first = t.output_tokens - first_event_tokens_;
  if (t.output_tokens >= 2 && after_first > 0 && span > kOneInstant) t.tpot = span / after_first;
  t.burst = came_in_bursts(arrivals_, span, t.output_tokens);
  return t;
}

}  // namespace tokprobe
