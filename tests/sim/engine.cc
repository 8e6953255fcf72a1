#include "tests/sim/engine.h"

#include <algorithm>
#include <utility>

#include "tests/sim/chance.h"

namespace tokprobe_sim {

void Engine::submit(const Work& work, double arrival) {
  step(arrival);
  Slot& slot = slots_[work.id];
  slot.work = work;
  slot.arrival = arrival;
  if (running() < params_.max_running && queue_.empty()) {
    // A request may be handed over a moment after its arrival, behind our clock; its own schedule
    // still counts from the arrival.
    admit(slot, std::max(arrival, place_free_));
  } else {
    queue_.push_back(work.id);
  }
}

void Engine::release(uint64_t id, double now) {
  step(now);
  const auto found = slots_.find(id);
  if (found == slots_.end()) return;
  const double unused = found->second.prefill_end - std::max(found->second.prefill_start, clock_);
  if (found->second.placement && unused > 0) {
    const double behind = found->second.prefill_end;
    prefill_free_ -= unused;
    for (const uint64_t other : running_) {
      Slot& slot = slots_.at(other);
      if (other == id || slot.prefill_start < behind) continue;
      slot.prefill_start -= unused;
      slot.prefill_end -= unused;
      slot.anchor_time -= unused;
      woken_.push_back(other);
    }
  }
  std::erase(queue_, id);
  if (std::find(running_.begin(), running_.end(), id) != running_.end()) retire(id, clock_);
  slots_.erase(id);
}

void Engine::step(double now) {
  while (true) {
    uint64_t first = 0;
    double when = shrink_at_.value_or(std::numeric_limits<double>::infinity());
    bool shrink = true;
    for (const uint64_t id : running_) {
      const double end = end_time(slots_.at(id));
      if (end <= when) {
        first = id;
        when = end;
        shrink = false;
      }
    }
    if (when > now) break;
    clock_ = std::max(clock_, when);
    if (shrink) {
      shrink_at_.reset();
      set_batch(running(), when);
    } else {
      retire(first, when);
    }
  }
  clock_ = std::max(clock_, now);
}

void Engine::set_params(EngineParams params, double now) {
  step(now);
  params_ = params;
  rate_changed(clock_);
  admit_waiting(clock_);
}

std::optional<double> Engine::next_time() const {
  std::optional<double> next = shrink_at_;
  for (const uint64_t id : running_) {
    const Slot& slot = slots_.at(id);
    if (!slot.work.hold) next = std::min(end_time(slot), next.value_or(end_time(slot)));
  }
  return next;
}

std::optional<double> Engine::due(uint64_t id, int token) const {
  const auto found = slots_.find(id);
  if (found == slots_.end() || !found->second.placement) return std::nullopt;
  return token_time(found->second, token);
}

std::optional<Placement> Engine::placement(uint64_t id) const {
  const auto found = slots_.find(id);
  return found == slots_.end() ? std::nullopt : found->second.placement;
}

std::vector<uint64_t> Engine::take_woken() { return std::exchange(woken_, {}); }

double Engine::kv_tokens(double now) const {
  double sum = 0;
  for (const uint64_t id : running_) {
    const Slot& slot = slots_.at(id);
    const double made = slot.anchor_tokens + (now - slot.anchor_time) * slot.rate;
    sum += slot.work.context_tokens + std::clamp(made, 0.0, 1.0 * slot.work.output_tokens);
  }
  return sum;
}

void Engine::admit(Slot& slot, double when) {
  const uint64_t id = slot.work.id;
  const double u = 2 * chance(params_.seed, id, kDrawTtft) - 1;
  const double v = 2 * chance(params_.seed, id, kDrawRate) - 1;
  slot.prefill_start = when;
  slot.prefill_end = when;
  if (params_.prefill_rate > 0) {
    slot.prefill_start = std::max(when, prefill_free_);
    slot.prefill_end = slot.prefill_start + slot.work.prefill_tokens / params_.prefill_rate;
    prefill_free_ = slot.prefill_end;
  }
  slot.factor = 1 + params_.jitter * v;
  slot.anchor_time =
      slot.prefill_end + params_.ttft * (1 + params_.jitter * u) + slot.work.extra_delay;
  running_.push_back(id);
  slot.placement = Placement{when, running()};
  slot.rate = params_.decode.at(std::max(batch_, running())) * slot.factor;
  woken_.push_back(id);
  if (running() >= batch_) {
    shrink_at_.reset();
    if (running() > batch_) set_batch(running(), std::max(when, clock_));
  }
}

void Engine::admit_waiting(double when) {
  while (!queue_.empty() && running() < params_.max_running) {
    const uint64_t id = queue_.front();
    queue_.pop_front();
    admit(slots_.at(id), std::max(when, slots_.at(id).arrival));
  }
}

void Engine::retire(uint64_t id, double when) {
  if (running() >= params_.max_running) place_free_ = when;
  std::erase(running_, id);
  admit_waiting(when);
  if (running() < batch_ && !shrink_at_) shrink_at_ = when + params_.settle;
}

void Engine::set_batch(int batch, double when) {
  batch_ = batch;
  rate_changed(when);
}

void Engine::rate_changed(double when) {
  for (const uint64_t id : running_) {
    Slot& slot = slots_.at(id);
    const double rate = params_.decode.at(batch_) * slot.factor;
    if (rate > slot.rate) woken_.push_back(id);
    if (when > slot.anchor_time) {
      slot.anchor_tokens += (when - slot.anchor_time) * slot.rate;
      slot.anchor_time = when;
    }
    slot.rate = rate;
  }
}

double Engine::token_time(const Slot& slot, int token) const {
  const double due = slot.anchor_time + (token - slot.anchor_tokens) / slot.rate;
  if (token == 0 || params_.jitter == 0) return due;
  const double w = chance(params_.seed, slot.work.id, kDrawToken + token) - 0.5;
  return due + params_.jitter * w / slot.rate;
}

double Engine::end_time(const Slot& slot) const {
  if (slot.work.hold) return std::numeric_limits<double>::infinity();
  return token_time(slot, slot.work.output_tokens - 1);
}

}  // namespace tokprobe_sim
