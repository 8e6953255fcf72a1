#include "tests/sim/scheduler.h"

#include <sys/eventfd.h>

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

Scheduler::Scheduler(EngineParams params) : engine_(params), thread_([this] { run(); }) {}

Scheduler::~Scheduler() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Scheduler::submit(const Work& work, double arrival, int wake_fd) {
  const std::lock_guard lock(mutex_);
  wake_fds_[work.id] = wake_fd;
  engine_.submit(work, arrival);
  wake_changed();
}

void Scheduler::release(uint64_t id) {
  const std::lock_guard lock(mutex_);
  wake_fds_.erase(id);
  engine_.release(id, now_seconds());
  wake_changed();
}

void Scheduler::set_params(EngineParams params) {
  const std::lock_guard lock(mutex_);
  engine_.set_params(params, now_seconds());
  wake_changed();
}

std::optional<double> Scheduler::due(uint64_t id, int token) const {
  const std::lock_guard lock(mutex_);
  return engine_.due(id, token);
}

std::optional<Placement> Scheduler::placement(uint64_t id) const {
  const std::lock_guard lock(mutex_);
  return engine_.placement(id);
}

Load Scheduler::load() const {
  const std::lock_guard lock(mutex_);
  return {engine_.running(), engine_.waiting(), engine_.kv_tokens(now_seconds())};
}

void Scheduler::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    engine_.step(now_seconds());
    wake_changed();
    sleeps_until_ = engine_.next_time().value_or(kNever);
    if (sleeps_until_ == kNever) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, time_point(sleeps_until_));
    }
  }
}

void Scheduler::wake_changed() {
  for (const uint64_t id : engine_.take_woken()) {
    const auto found = wake_fds_.find(id);
    if (found != wake_fds_.end()) eventfd_write(found->second, 1);
  }
  if (engine_.next_time().value_or(kNever) < sleeps_until_) changed_.notify_one();
}

}  // namespace tokprobe_sim
