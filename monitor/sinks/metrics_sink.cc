#include "monitor/sinks/metrics_sink.h"

namespace tokprobe {

MetricsSink::MetricsSink(const Config& config, WallTime started) {
  for (const TargetConfig& target : config.targets) {
    index_.emplace(target.name, slots_.size());
    Slot& slot = slots_.emplace_back();
    slot.working = initial_state(config, target);
    slot.published = std::make_shared<const TargetState>(slot.working);
  }
  self_.reload_timestamp = unix_seconds(started);
  for (const char* handler : {"/", "/metrics", "/-/healthy", "/-/ready"}) {
    self_.http_requests[{handler, 200}] = 0;
  }
}

MetricsSink::Slot* MetricsSink::find(std::string_view target) {
  const auto found = index_.find(target);
  return found == index_.end() ? nullptr : &slots_[found->second];
}

void MetricsSink::publish(Slot& slot) {
  auto copy = std::make_shared<const TargetState>(slot.working);
  const std::lock_guard lock(mutex_);
  slot.published.swap(copy);
}

void MetricsSink::on_run(const RunResult& run) {
  Slot* slot = find(run.target);
  if (slot == nullptr) return;
  apply(run, slot->working);
  publish(*slot);
  const std::lock_guard lock(mutex_);
  self_.client_lag.observe(seconds(run.client_lag));
}

void MetricsSink::on_judgement(const RunResult& run, const Judgement& judgement) {
  Slot* slot = find(run.target);
  if (slot == nullptr) return;
  apply(run, judgement, slot->working);
  publish(*slot);
}

void MetricsSink::on_skip(std::string_view target, std::string_view probe, Skip reason) {
  Slot* slot = find(target);
  if (slot == nullptr) return;
  apply_skip(probe, reason, slot->working);
  publish(*slot);
}

void MetricsSink::on_identity(std::string_view target, const Identity& identity) {
  Slot* slot = find(target);
  if (slot == nullptr) return;
  slot->working.identity = identity;
  publish(*slot);
}

void MetricsSink::on_start(Duration lag) {
  const std::lock_guard lock(mutex_);
  self_.schedule_lag.observe(seconds(lag));
}

void MetricsSink::count_http(const std::string& handler, int code) {
  const std::lock_guard lock(mutex_);
  ++self_.http_requests[{handler, code}];
}

std::vector<TargetSnapshot> MetricsSink::targets() const {
  std::vector<TargetSnapshot> out;
  const std::lock_guard lock(mutex_);
  out.reserve(slots_.size());
  for (const Slot& slot : slots_) out.push_back(slot.published);
  return out;
}

std::string MetricsSink::page() const {
  SelfState self = [&] {
    const std::lock_guard lock(mutex_);
    return self_;
  }();
  self.process = read_process();
  return metrics_page(targets(), self);
}

}  // namespace tokprobe
