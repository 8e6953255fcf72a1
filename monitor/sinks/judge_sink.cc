#include "monitor/sinks/judge_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "monitor/judge/sample.h"

namespace tokprobe {
namespace {

constexpr Duration kLastSave = std::chrono::seconds(1);

// A name as a file's: what is not plain is written as %XX.
std::string file_of(std::string_view target) {
  std::string out = "judge-";
  for (const char c : target.substr(0, 60)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  // Two long names may begin alike.
  if (target.size() > 60) out += fmt::format("-{:x}", std::hash<std::string_view>{}(target));
  return out + ".json";
}

// What a server is: what it says of itself, and what the configuration says of it beyond names.
std::string identity_text(const Identity& identity, const std::string& labels) {
  if (identity.server.empty() && identity.version.empty() && labels.empty()) return {};
  return fmt::format("{} {} {}{}", identity.server, identity.version, identity.model, labels);
}

std::string described(const Config& config, const TargetConfig& target) {
  std::string out;
  for (const auto& [name, value] : target.labels) {
    const auto& series = config.series_labels;
    if (std::find(series.begin(), series.end(), name) == series.end()) {
      out += fmt::format(" {}={}", name, value);
    }
  }
  return out;
}

}  // namespace

struct JudgeSink::Target {
  std::string name;
  std::string labels;  ///< of the configuration, part of the identity
  std::mutex mutex;    ///< guards what follows
  std::map<SeriesKey, Judge> judges;
  std::string identity;
  bool changed = false;
  std::optional<Time> saved;
};

JudgeSink::JudgeSink(const Config& config, const JudgeTimes& times, Storage* storage,
                     const Log& log, Publish publish)
    : times_(times), storage_(storage), log_(log), publish_(std::move(publish)) {
  for (const TargetConfig& each : config.targets) {
    auto target = std::make_unique<Target>();
    target->name = each.name;
    target->labels = described(config, each);
    for (const ProbeConfig& probe : config.probes) {
      if (!probe.enabled || !probe.applies_to(each.name)) continue;
      for (const int c : probe.concurrency) {
        target->judges.emplace(SeriesKey{probe.name, c}, Judge(times_));
      }
    }
    if (storage_ != nullptr) load(*target);
    targets_.emplace(each.name, std::move(target));
  }
}

JudgeSink::~JudgeSink() = default;

void JudgeSink::load(Target& target) {
  const std::string file = file_of(target.name);
  const auto text = storage_->read_file(file);
  if (!text) return;
  auto memories = read_judge(*text, times_);
  if (!memories) {
    storage_->put_aside(file);
    log_.warn("references begun anew", {{"target", target.name}, {"reason", memories.error()}});
    return;
  }
  for (auto& [key, judge] : target.judges) {
    const auto found = memories->find(key);
    if (found != memories->end()) judge.restore(std::move(found->second));
  }
}

JudgeSink::Target* JudgeSink::find(std::string_view target) {
  const auto found = targets_.find(target);
  return found == targets_.end() ? nullptr : found->second.get();
}

void JudgeSink::on_run(const RunResult& run) {
  Target* target = find(run.target);
  const auto sample = sample_of(run);
  if (target == nullptr || !sample) return;
  Judgement judgement;
  {
    const std::lock_guard lock(target->mutex);
    const auto judge = target->judges.find({run.probe, run.concurrency});
    if (judge == target->judges.end()) return;
    const std::string trial = judge->second.memory().trial;
    judgement = judge->second.admit(*sample, target->identity);
    target->changed = true;
    if (!trial.empty() && judge->second.memory().trial.empty() &&
        judge->second.memory().identity == trial) {
      log_.info("the changed server is as fast as before: it is the new reference",
                {{"target", run.target}, {"probe", run.probe}, {"server", trial}});
    }
  }
  publish_(run, judgement);
}

void JudgeSink::on_identity(std::string_view name, const Identity& identity) {
  Target* target = find(name);
  if (target == nullptr) return;
  const std::lock_guard lock(target->mutex);
  target->identity = identity_text(identity, target->labels);
}

Result<int> JudgeSink::accept(std::string_view name) {
  Target* target = find(name);
  if (target == nullptr) return Error{fmt::format("there is no target '{}'", name)};
  const std::lock_guard lock(target->mutex);
  int changed = 0;
  for (auto& [key, judge] : target->judges) changed += judge.accept() ? 1 : 0;
  target->changed = target->changed || changed > 0;
  target->saved.reset();
  log_.info("accepted as normal", {{"target", target->name}, {"series", std::to_string(changed)}});
  return changed;
}

Result<bool> JudgeSink::save(const Clock& clock, bool last) {
  if (storage_ == nullptr) return false;
  const Time begun = clock.now();
  std::optional<Error> error;
  for (auto& [name, target] : targets_) {
    if (last && clock.now() - begun > kLastSave) break;
    JudgeMemories memories;
    {
      const std::lock_guard lock(target->mutex);
      const bool due = !target->saved || seconds(begun - *target->saved) >= kSaveEvery;
      if (!target->changed || !(due || last)) continue;
      for (const auto& [key, judge] : target->judges) memories.emplace(key, judge.memory());
      target->changed = false;
      target->saved = begun;
    }
    const auto done = storage_->write_file(file_of(name), write_judge(name, memories));
    if (done) continue;
    if (!error) error = Error{done.error()};
    const std::lock_guard lock(target->mutex);
    target->changed = true;
    target->saved.reset();
  }
  if (error) return *error;
  return true;
}

}  // namespace tokprobe
