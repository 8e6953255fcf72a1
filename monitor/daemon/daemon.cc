#include "monitor/daemon/daemon.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "monitor/daemon/target_runner.h"
#include "probes/transport/curl_transport.h"

namespace tokprobe {
namespace {

constexpr unsigned kMaxLoops = 4;
constexpr auto kSaveEvery = std::chrono::seconds(30);
constexpr Duration kIdleWait = std::chrono::minutes(1);

void loop(const Config& config, const std::vector<const TargetConfig*>& targets,
          const DaemonContext& context, const std::stop_token& stop) {
  CurlTransport transport(context.clock);
  std::vector<std::unique_ptr<TargetRunner>> runners;
  for (const TargetConfig* target : targets) {
    runners.push_back(std::make_unique<TargetRunner>(
        config, *target, RunnerContext{context.clock, transport, context.sink, context.storage}));
  }
  const std::stop_callback on_stop(stop, [&transport] { transport.wake(); });
  while (!stop.stop_requested()) {
    const Time now = context.clock.now();
    Time next = now + kIdleWait;
    for (auto& runner : runners) {
      runner->pump(now);
      next = std::min(next, runner->wake(now));
    }
    transport.run_until(next);
  }
  for (auto& runner : runners) runner->cancel();
}

// Tells once of a state file that cannot be written, and once when it can be again.
class Saver {
 public:
  explicit Saver(const DaemonContext& context) : context_(context) {}
  void save(bool last) {
    const auto saved = context_.save(last);
    if (!saved && !failing_) {
      context_.log.error("state not saved; probing goes on", {{"error", saved.error()}});
    } else if (saved && failing_) {
      context_.log.info("state saved again");
    }
    failing_ = !saved;
  }

 private:
  const DaemonContext& context_;
  bool failing_ = false;
};

}  // namespace

bool run_daemon(const Config& config, const DaemonContext& context, const std::stop_token& stop,
                const std::function<void()>& ready) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t count =
      std::min<std::size_t>({cores, kMaxLoops, std::max<std::size_t>(1, config.targets.size())});
  std::vector<std::vector<const TargetConfig*>> shares(count);
  for (std::size_t i = 0; i < config.targets.size(); ++i) {
    shares[i % count].push_back(&config.targets[i]);
  }
  std::stop_source all;  // also stopped by a loop that failed
  const std::stop_callback forward(stop, [&all] { all.request_stop(); });
  std::atomic<bool> good = true;
  {
    std::vector<std::jthread> threads;
    for (const auto& share : shares) {
      threads.emplace_back([&] {
        try {
          loop(config, share, context, all.get_token());
        } catch (const std::exception& e) {
          context.log.error("a probing loop failed", {{"error", e.what()}});
          good = false;
          all.request_stop();
        }
      });
    }
    ready();
    Saver saver(context);
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    while (!all.stop_requested()) {
      stopped.wait_for(lock, all.get_token(), kSaveEvery, [] { return false; });
      saver.save(false);
    }
  }
  Saver(context).save(true);
  return good;
}

}  // namespace tokprobe
