#include "tests/support/replay_transport.h"

#include <algorithm>

namespace tokprobe {

HttpHead stream_head() { return {200, {{"content-type", "text/event-stream; charset=utf-8"}}}; }

Duration ReplayTransport::Transfer::setup() const {
  if (script.kept) return Duration::zero();
  return script.dns + script.connect + script.tls.value_or(Duration::zero());
}

std::optional<Time> ReplayTransport::Transfer::due() const {
  const Time origin = script.connects ? begun + setup() : begun;
  if (script.connects && !sent) return origin;
  if (script.head && !head_given) return origin + script.head_at;
  if (next_read < script.reads.size()) return origin + script.reads[next_read].at;
  if (script.hangs) return std::nullopt;
  return origin + script.end_at;
}

void ReplayTransport::start(const HttpRequest& request, HttpSink& sink) {
  requests_.push_back(request);
  Transfer transfer;
  transfer.sink = &sink;
  transfer.script = next_script_(request);
  transfer.begun = clock_.now();
  auto& script = transfer.script;
  // A script need not repeat the time of its last read.
  if (!script.reads.empty()) script.end_at = std::max(script.end_at, script.reads.back().at);
  script.end_at = std::max(script.end_at, script.head ? script.head_at : Duration::zero());
  transfers_.push_back(std::move(transfer));
  most_ = std::max(most_, transfers_.size());
}

void ReplayTransport::end(std::size_t index, TransferEnd how, std::string detail) {
  const Transfer transfer = transfers_[index];
  transfers_.erase(transfers_.begin() + static_cast<std::ptrdiff_t>(index));
  HttpOutcome outcome;
  outcome.end = how;
  outcome.detail = std::move(detail);
  outcome.connected = transfer.sent;
  outcome.resolved = transfer.script.connects || how == TransferEnd::kConnect;
  if (transfer.sent && !transfer.script.kept) {
    outcome.dns = transfer.script.dns;
    outcome.connect = transfer.script.connect;
    outcome.tls = transfer.script.tls;
  }
  transfer.sink->on_end(outcome, clock_.now());
}

void ReplayTransport::cancel(HttpSink& sink) {
  for (std::size_t i = 0; i < transfers_.size(); ++i) {
    if (transfers_[i].sink == &sink) {
      end(i, TransferEnd::kCancelled, "");
      return;
    }
  }
}

// Does the next thing of one transfer; true when the transfer has ended.
bool ReplayTransport::step(std::size_t index) {
  Transfer& t = transfers_[index];
  if (t.script.connects && !t.sent) {
    t.sent = true;
    t.sink->on_sent(clock_.now());
  } else if (t.script.head && !t.head_given) {
    t.head_given = true;
    t.sink->on_headers(*t.script.head, clock_.now());
  } else if (t.next_read < t.script.reads.size()) {
    const std::string bytes = t.script.reads[t.next_read++].bytes;
    if (!t.sink->on_body(bytes, clock_.now())) {
      end(index, TransferEnd::kStopped, "");
      return true;
    }
  } else {
    end(index, t.script.end, t.script.detail);
    return true;
  }
  return false;
}

void ReplayTransport::run_until(Time until) {
  woken_ = false;
  for (;;) {
    std::size_t first = transfers_.size();
    for (std::size_t i = 0; i < transfers_.size(); ++i) {
      const auto due = transfers_[i].due();
      if (due && (first == transfers_.size() || *due < *transfers_[first].due())) first = i;
    }
    if (first == transfers_.size() || *transfers_[first].due() > until) break;
    clock_.set(std::max(clock_.now(), *transfers_[first].due()));
    if (step(first) || woken_) return;
  }
  clock_.set(std::max(clock_.now(), until));
}

}  // namespace tokprobe
