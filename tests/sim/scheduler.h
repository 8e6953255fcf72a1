#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "tests/sim/engine.h"

namespace tokprobe_sim {

struct Load {
  int running = 0;
  int waiting = 0;
  double kv_tokens = 0;
};

// The engine, run on the real clock. Thread-safe. A thread of its own does what happens by itself
// (requests that end, the batch that shrinks); each stream asks for its next due time and sleeps by
// itself, so that no token passes through a shared queue. A stream whose due times became known or
// earlier is told through its wake descriptor; one whose due time became later finds out on waking.
class Scheduler {
 public:
  explicit Scheduler(EngineParams params);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // `wake_fd` is an eventfd that stays open until release(work.id).
  void submit(const Work& work, double arrival, int wake_fd);
  void release(uint64_t id);
  void set_params(EngineParams params);

  std::optional<double> due(uint64_t id, int token) const;
  std::optional<Placement> placement(uint64_t id) const;
  Load load() const;

 private:
  void run();
  void wake_changed();  // under the lock

  mutable std::mutex mutex_;
  Engine engine_;
  std::unordered_map<uint64_t, int> wake_fds_;
  std::condition_variable changed_;
  double sleeps_until_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace tokprobe_sim
