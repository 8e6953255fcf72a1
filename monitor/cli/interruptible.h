#pragma once

#include <functional>
#include <stop_token>

namespace tokprobe {

/// What signals ask of a running command. `reload` is SIGHUP.
struct SignalHandlers {
  std::function<void()> reload;  ///< may be empty: SIGHUP is then passed over
};

struct Interrupted {
  int code = 0;    ///< what the work returned
  int signal = 0;  ///< SIGINT or SIGTERM when one came, else 0
};

/// Runs `work` on a thread of its own while the calling thread waits for signals: SIGINT and
/// SIGTERM ask it to stop (a second one ends the process at once). SIGPIPE is ignored. Call it
/// before any other thread exists: signals are blocked here and inherited by all.
Interrupted run_interruptible(const std::function<int(std::stop_token)>& work,
                              const SignalHandlers& handlers = {});

}  // namespace tokprobe
