#include "monitor/cli/interruptible.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace tokprobe {

Interrupted run_interruptible(const std::function<int(std::stop_token)>& work,
                              const SignalHandlers& handlers) {
  // SIGUSR2 is how the worker tells this thread that it has ended.
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR2}) sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);

  Interrupted result;
  std::atomic<bool> ended = false;
  const pthread_t waiter = pthread_self();
  std::jthread worker([&](const std::stop_token& stop) {
    result.code = work(stop);
    ended = true;
    pthread_kill(waiter, SIGUSR2);
  });
  while (!ended) {
    int number = 0;
    if (sigwait(&set, &number) != 0) continue;
    if (number == SIGHUP && handlers.reload) handlers.reload();
    if (number != SIGINT && number != SIGTERM) continue;
    if (result.signal != 0) _exit(128 + number);
    result.signal = number;
    worker.request_stop();
  }
  worker.join();
  return result;
}

}  // namespace tokprobe
