#include "monitor/daemon/target_runner.h"

#include <algorithm>

#include "probes/base/random.h"

namespace tokprobe {
namespace {

// A server is asked who it is at most this often, and given this long to say.
constexpr Duration kIdentifyEvery = std::chrono::seconds(60);
constexpr Duration kIdentifyTimeout = std::chrono::seconds(5);

Endpoint make_endpoint(const TargetConfig& t) {
  // The configuration has been checked: the URL parses.
  Endpoint endpoint{parse_url(t.url).value(), t.api_key_file, t.ca_file, t.insecure, t.proxy, {}};
  endpoint.headers.assign(t.headers.begin(), t.headers.end());
  return endpoint;
}

const Dialect& choose_dialect(const TargetConfig& t) {
  const Dialect* dialect = find_dialect(t.api);
  return dialect != nullptr ? *dialect : all_dialects().front();
}

Shape make_shape(const ProbeConfig& probe) {
  Shape shape;
  shape.input_tokens = probe.input_tokens;
  shape.output_tokens = probe.output_tokens;
  shape.ignore_eos = true;
  shape.reuse_connection = probe.reuse_connections;
  shape.timeouts = probe.timeout;
  return shape;
}

}  // namespace

TargetRunner::TargetRunner(const Config& config, const TargetConfig& target, RunnerContext context)
    : target_(target),
      context_(context),
      requester_(make_endpoint(target), choose_dialect(target),
                 target.model == "auto" ? "" : target.model, random_seed()) {
  SavedTarget saved;
  if (context_.storage != nullptr) saved = context_.storage->get(target.name);
  for (const auto& o : saved.prompt_lengths) requester_.sizer().observe(o.words, o.tokens);
  const Time now = context_.clock.now();
  const double wall = unix_seconds(context_.clock.wall());
  for (const ProbeConfig& probe : config.probes) {
    if (!probe.enabled || !probe.applies_to(target.name)) continue;
    Slot slot{probe, make_schedule(target.name, probe.name, probe.interval), now, std::nullopt};
    Duration age(-1);
    if (const auto last = saved.last_runs.find(probe.name); last != saved.last_runs.end()) {
      slot.last_run = last->second;
      // Absurd times of a restored file must not overflow.
      age = from_seconds(std::clamp(wall - last->second, -1.0, 1e9));
    }
    slot.next = first_due(slot.schedule, now, age);
    slots_.push_back(std::move(slot));
  }
}

void TargetRunner::pump(Time now) {
  collect_due(now);
  if (current_ == nullptr) begin_next(now);
  if (current_ != nullptr) step(now);
}

void TargetRunner::collect_due(Time now) {
  for (Slot& slot : slots_) {
    if (slot.next > now) continue;
    const bool busy = slot.due || &slot == current_;
    // The loop may have been held up: slots that passed unseen were not run either.
    const long missed = slot.schedule.slots_between(slot.next, now) + (busy ? 1 : 0);
    for (long i = 0; i < missed; ++i) {
      context_.sink.on_skip(target_.name, slot.probe.name, Skip::kOverlap);
    }
    if (!busy) slot.due = slot.next;
    // After a start the grid may come at once: the first run stands for that slot.
    slot.next = slot.schedule.next_due(slot.first ? now + slot.schedule.interval / 2 : now);
    slot.first = false;
  }
}

void TargetRunner::begin_next(Time now) {
  Slot* oldest = nullptr;
  for (Slot& slot : slots_) {
    if (slot.due && (oldest == nullptr || *slot.due < *oldest->due)) oldest = &slot;
  }
  if (oldest == nullptr) return;
  current_ = oldest;
  level_ = 0;
  context_.sink.on_start(now - *oldest->due);
  oldest->due.reset();
  if (!identified_ || now - *identified_ >= kIdentifyEvery) {
    identification_ = std::make_unique<Identification>(requester_.endpoint(), kIdentifyTimeout,
                                                       context_.transport, context_.clock);
  }
}

void TargetRunner::step(Time now) {
  if (identification_ && !identify(now)) return;
  for (;;) {
    if (!run_ && !load_) {
      load_ = std::make_unique<LoadReading>(requester_.endpoint(), load_source_, context_.transport,
                                            context_.clock);
    }
    if (load_ && !read_load(now)) return;
    run_->pump(now);
    if (!run_->done()) return;
    finish_run();
    if (current_ == nullptr) return;
  }
}

bool TargetRunner::identify(Time now) {
  identification_->pump(now);
  if (!identification_->done()) return false;
  const Identity found = identification_->identity();
  const bool answered = identification_->answered();
  identification_.reset();
  // Without a model name every run asks again; otherwise what was known stays for the minute.
  if (answered || !requester_.model().empty()) identified_ = now;
  if (!answered) return true;
  Identity next = found;
  if (target_.model != "auto") next.model = target_.model;
  if (next.model.empty()) next.model = identity_.model;
  requester_.set_model(next.model);
  if (next != identity_) {
    identity_ = next;
    context_.sink.on_identity(target_.name, identity_);
  }
  return true;
}

// True when the load is known, or known not to be had, and the run has been made.
bool TargetRunner::read_load(Time now) {
  load_->pump(now);
  if (!load_->done()) return false;
  begin_level(load_->load());
  load_.reset();
  return true;
}

void TargetRunner::begin_level(const ServerLoad& load) {
  const ProbeConfig& probe = current_->probe;
  RunSpec spec;
  spec.target = target_.name;
  spec.probe = probe.name;
  spec.concurrency = probe.concurrency[level_];
  spec.requests = probe.requests_at(spec.concurrency);
  spec.shape = make_shape(probe);
  spec.load = load;
  run_ = std::make_unique<Run>(std::move(spec), requester_, context_.transport, context_.clock);
}

void TargetRunner::finish_run() {
  const RunResult result = run_->take();
  run_.reset();
  current_->last_run = unix_seconds(result.started);
  context_.sink.on_run(result);
  save();
  if (++level_ == current_->probe.concurrency.size()) current_ = nullptr;
}

void TargetRunner::save() {
  if (context_.storage == nullptr) return;
  SavedTarget saved;
  saved.prompt_lengths = requester_.sizer().observations();
  for (const Slot& slot : slots_) {
    if (slot.last_run >= 0) saved.last_runs[slot.probe.name] = slot.last_run;
  }
  context_.storage->put(target_.name, std::move(saved));
}

Time TargetRunner::wake(Time now) const {
  if (current_ != nullptr) return now + kTick;
  Time next = now + std::chrono::hours(1);
  for (const Slot& slot : slots_) next = std::min(next, slot.due ? now : slot.next);
  return next;
}

void TargetRunner::cancel() {
  identification_.reset();
  load_.reset();
  if (run_) run_->cancel();
  run_.reset();
  current_ = nullptr;
}

}  // namespace tokprobe
