#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "monitor/judge/document.h"
#include "monitor/sinks/log.h"
#include "monitor/sinks/result_sink.h"
#include "monitor/sinks/storage.h"

namespace tokprobe {

/// Passes every run through the judge of its series, publishes what it says, and keeps the judges'
/// memories in the storage. Safe as ResultSink says; `accept` and `save` from any thread.
class JudgeSink final : public ResultSink {
 public:
  using Publish = std::function<void(const RunResult&, const Judgement&)>;
  /// Reads what the storage holds (null: nothing is kept). A file that cannot be used is put aside
  /// and logged. The references must outlive the sink.
  JudgeSink(const Config& config, const JudgeTimes& times, Storage* storage, const Log& log,
            Publish publish);
  ~JudgeSink() override;

  void on_run(const RunResult& run) override;
  void on_skip(std::string_view, std::string_view, Skip) override {}
  void on_identity(std::string_view target, const Identity& identity) override;
  void on_start(Duration) override {}

  /// Takes what is measured of a target now for normal. The number of series that changed; an error
  /// when there is no such target.
  Result<int> accept(std::string_view target);
  /// Writes the memories that have changed, each target at most every kSaveEvery seconds (not when
  /// `last`, which writes as many as it can in a second). The first error; the rest is tried.
  Result<bool> save(const Clock& clock, bool last);
  static constexpr double kSaveEvery = 600;

 private:
  struct Target;
  Target* find(std::string_view target);
  void load(Target& target);

  JudgeTimes times_;
  Storage* storage_;
  const Log& log_;
  Publish publish_;
  std::map<std::string, std::unique_ptr<Target>, std::less<>> targets_;
};

}  // namespace tokprobe
