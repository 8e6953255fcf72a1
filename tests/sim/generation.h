#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tests/sim/connection.h"
#include "tests/sim/counters.h"
#include "tests/sim/prefix_cache.h"
#include "tests/sim/request.h"
#include "tests/sim/response.h"
#include "tests/sim/scheduler.h"
#include "tests/sim/settings.h"
#include "tests/sim/text.h"
#include "tests/sim/truth_log.h"

namespace tokprobe_sim {

// What all requests share. Thread-safe.
struct Shared {
  explicit Shared(Settings initial) : settings(initial), scheduler(initial.engine) {}

  SettingsStore settings;
  Scheduler scheduler;
  TruthLog log;
  Counters counters;
  PrefixCache prefixes;
  std::atomic<uint64_t> next_id{1};
};

// One generation request, from its admission to its record in the truth log; used by the thread
// that serves `connection`. Destroying it frees its place in the batch.
class Generation {
 public:
  // Submits the request to the engine. `record` holds what is known so far.
  Generation(Shared& shared, Connection& connection, GenerationRequest request,
             std::optional<Fault> fault, TruthRecord record);
  ~Generation();
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  using Write = std::function<bool(std::string_view)>;
  // Writes the events, each at its time. True: the caller ends the response in order; false: it
  // drops the connection.
  bool stream(const Write& write);
  // Waits and returns the body, or nothing: drop the connection.
  std::optional<std::string> whole();
  // Waits until the peer has gone: a request that is never answered.
  void hang();

  int status() const { return record_.status; }

 private:
  bool wait_for(int token);
  std::string events(int begin, int end);
  std::string closing_events() const;
  std::optional<UsageCounts> usage_of(int tokens, bool wanted) const;
  bool faulty(FaultKind kind) const { return fault_ && fault_->kind == kind; }
  bool breaks_off() const;
  bool break_off(const Write& write);
  void stamp(int tokens);
  void finish(const char* reason);
  bool is_reasoning(int token) const {
    return request_.chat && token < settings_->reasoning_tokens;
  }

  Shared& shared_;
  Connection& connection_;
  std::shared_ptr<const Settings> settings_;
  GenerationRequest request_;
  std::optional<Fault> fault_;
  TruthRecord record_;
  Plan plan_;
  ResponseWriter writer_;
  TextSource text_;
  bool finished_ = false;
};

}  // namespace tokprobe_sim
