#pragma once

#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>
#include <utility>

#include "tests/sim/engine.h"

namespace tokprobe_sim {

struct Load {
  int running = 0;
  int waiting = 0;
  double kv_tokens = 0;
};

// Something that acts when tokens of its request are due.
class Paced {
 public:
  virtual ~Paced() = default;
  // The token to wait for; absent: nothing more to do.
  virtual std::optional<int> next_token() const = 0;
  // That token is due. Must not block: all streams share one thread.
  virtual void fire() = 0;
};

// The engine, run on the real clock: one thread sleeps until the earliest token of all streams is
// due and fires it. (A thread for each stream would cost a context switch for each token, and on a
// small machine those crowd out the client that is being tested.) Thread-safe.
class Scheduler {
 public:
  explicit Scheduler(EngineParams params);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Calls `paced` from now on, until release(work.id) has returned.
  void submit(const Work& work, double arrival, Paced& paced);
  // Ends the request, in whatever state, and tells where it ran, if it did. Not from fire().
  std::optional<Placement> release(uint64_t id);
  void set_params(EngineParams params);
  Load load() const;

 private:
  struct Entry {
    Paced* paced = nullptr;
    std::optional<int> token;
    std::optional<double> due;  // its place in queue_
  };

  void run();
  void fire_first(std::unique_lock<std::mutex>& lock, double now);
  // The rest is called under the lock.
  void enqueue(uint64_t id, Entry& entry);
  void engine_changed();

  mutable std::mutex mutex_;
  Engine engine_;
  double engine_next_;
  std::unordered_map<uint64_t, Entry> entries_;
  std::set<std::pair<double, uint64_t>> queue_;  // due times
  uint64_t firing_ = 0;
  double sleeps_until_ = 0;
  bool stop_ = false;
  std::condition_variable changed_;
  std::condition_variable fired_;
  std::thread thread_;
};

}  // namespace tokprobe_sim
