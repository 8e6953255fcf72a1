#include "tests/sim/scheduler.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "tests/sim/clock.h"

namespace tokprobe_sim {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::chrono::steady_clock::time_point time_point(double seconds) {
  using std::chrono::steady_clock;
  return steady_clock::time_point(
      std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(seconds)));
}

}  // namespace

Scheduler::Scheduler(EngineParams params)
    : engine_(params), engine_next_(kNever), thread_([this] { run(); }) {}

Scheduler::~Scheduler() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Scheduler::submit(const Work& work, double arrival, Paced& paced) {
  const std::lock_guard lock(mutex_);
  entries_[work.id] = {&paced, paced.next_token(), std::nullopt};
  engine_.submit(work, arrival);
  engine_changed();
}

std::optional<Placement> Scheduler::release(uint64_t id) {
  std::unique_lock lock(mutex_);
  fired_.wait(lock, [&] { return firing_ != id; });
  const auto found = entries_.find(id);
  if (found == entries_.end()) return std::nullopt;
  if (found->second.due) queue_.erase({*found->second.due, id});
  entries_.erase(found);
  const std::optional<Placement> placement = engine_.placement(id);
  engine_.release(id, now_seconds());
  engine_changed();
  return placement;
}

void Scheduler::set_params(EngineParams params) {
  const std::lock_guard lock(mutex_);
  engine_.set_params(params, now_seconds());
  engine_changed();
}

Load Scheduler::load() const {
  const std::lock_guard lock(mutex_);
  return {engine_.running(), engine_.waiting(), engine_.kv_tokens(now_seconds())};
}

void Scheduler::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    const double now = now_seconds();
    if (now >= engine_next_) {
      engine_.step(now);
      engine_changed();
    }
    const double next = queue_.empty() ? kNever : queue_.begin()->first;
    if (next <= now) {
      fire_first(lock, now);
      continue;
    }
    sleeps_until_ = std::min(next, engine_next_);
    if (sleeps_until_ == kNever) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, time_point(sleeps_until_));
    }
  }
}

void Scheduler::fire_first(std::unique_lock<std::mutex>& lock, double now) {
  const uint64_t id = queue_.begin()->second;
  Entry& entry = entries_.at(id);
  enqueue(id, entry);  // the rate may have fallen since it was queued
  if (*entry.due > now) return;
  queue_.erase({*entry.due, id});
  entry.due.reset();
  firing_ = id;
  lock.unlock();
  entry.paced->fire();
  const std::optional<int> token = entry.paced->next_token();
  // The kernel likes to wake the reader on this very processor, where it would wait until a whole
  // burst of streams is written.
  sched_yield();
  lock.lock();
  firing_ = 0;
  entry.token = token;
  enqueue(id, entry);
  fired_.notify_all();
}

void Scheduler::enqueue(uint64_t id, Entry& entry) {
  if (entry.due) queue_.erase({*entry.due, id});
  entry.due = entry.token ? engine_.due(id, *entry.token) : std::nullopt;
  if (entry.due) queue_.insert({*entry.due, id});
}

void Scheduler::engine_changed() {
  for (const uint64_t id : engine_.take_woken()) {
    const auto found = entries_.find(id);
    if (found != entries_.end() && id != firing_) enqueue(id, found->second);
  }
  engine_next_ = engine_.next_time().value_or(kNever);
  const double next = queue_.empty() ? kNever : queue_.begin()->first;
  if (std::min(next, engine_next_) < sleeps_until_) changed_.notify_one();
}

}  // namespace tokprobe_sim
