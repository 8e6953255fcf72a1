#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

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
// that serves `connection`, while the scheduler's thread writes the events. Destroying it frees its
// place in the batch.
class Generation : private Paced {
 public:
  // `record` holds what is known so far.
  Generation(Shared& shared, Connection& connection, GenerationRequest request,
             std::optional<Fault> fault, TruthRecord record);
  ~Generation() override;
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  // Each submits the request to the engine and blocks until it is over; call one of them, once.
  // Writes the events as HTTP chunks, each at its time. True: the caller ends the body in order;
  // false: it drops the connection.
  bool stream();
  // The body of an answer that is not streamed, or nothing: drop the connection.
  std::optional<std::string> whole();
  // A request that is never answered: waits until the peer has gone.
  void hang();

  int status() const { return record_.status; }

 private:
  std::optional<int> next_token() const override { return next_token_; }
  void fire() override;

  void submit();
  bool wait_until_done();
  void prepare();
  std::string events(int begin, int end);
  std::string closing_events() const;
  std::optional<UsageCounts> usage_of(int tokens, bool wanted) const;
  bool faulty(FaultKind kind) const { return fault_ && fault_->kind == kind; }
  bool breaks_off() const;
  bool break_off();
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
  int limit_ = 0;  // tokens to give: all, or those before a fault
  int end_ = 0;    // tokens up to here are in held_, or were written
  int held_tokens_ = 0;
  std::string held_;
  std::optional<int> next_token_;
  std::atomic<bool> done_{false};
  bool finished_ = false;
};

}  // namespace tokprobe_sim
