#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <string>

#include "monitor/judge/reference.h"
#include "monitor/judge/snapshot.h"

namespace tokprobe {

/// What the judge says after a run. NaN where it cannot say.
struct Judgement {
  Figures expected = kNoFigures;  ///< at the server's present load
  /// Median over the window of measured to expected, turned so that less is worse.
  std::array<Figures, kWindows.size()> ratios{kNoFigures, kNoFigures, kNoFigures};
  std::size_t samples = 0;  ///< runs in the reference
};

/// A judged run: how it did against what was normal then, and against normal four weeks before.
struct Verdict {
  double time = 0;
  Figures ratio = kNoFigures;
  Figures month = kNoFigures;
};

/// The memory of one {target, probe, concurrency}; all of it, so that it can be written and read.
struct JudgeMemory {
  explicit JudgeMemory(const JudgeTimes& times) : reference(times) {}
  Reference reference;
  std::deque<Sample> waiting;      ///< runs of the last hour, not yet in the reference
  std::deque<Verdict> verdicts;    ///< of the longest window
  std::deque<Snapshot> snapshots;  ///< oldest first, one a day
  std::string identity;            ///< of the server that the reference was measured on
  std::string trial;               ///< another identity, not yet taken for normal; or empty
  double trial_since = 0;
};

/// Decides what is normal for a series at a load, never what is alarming: thresholds are in the
/// alert rules. Pure: it knows only the values and times that it is given. Not thread-safe.
///
/// A run enters the reference an hour after it was made, unless the ratios said regressed, at its
/// time or then. After a change of identity nothing enters, until the median of the last 60 runs
/// since is not below kSame, or the change is accepted.
class Judge {
 public:
  explicit Judge(const JudgeTimes& times = {}) : times_(times), memory_(times) {}

  /// Notes a run whose every request was ok, and says how things are. When time goes back, what was
  /// noted later is forgotten, but for the reference. An empty identity is one that is not known,
  /// and changes nothing.
  Judgement admit(const Sample& run, const std::string& identity);
  /// How things are, for a server at this load.
  Judgement judgement(const LoadAt& at) const;
  /// Takes what is measured now for normal: the reference keeps its shape over load and moves to
  /// the level of the trend window. False when nothing has been measured to go by.
  bool accept();

  const JudgeMemory& memory() const { return memory_; }
  void restore(JudgeMemory memory) { memory_ = std::move(memory); }

  static constexpr std::size_t kTrialRuns = 60;
  static constexpr float kSame = 0.97F;

 private:
  void set_back(double now);
  void age(double now);
  bool regressed() const;
  void try_identity(const std::string& identity, double now);
  bool settle_trial();
  Judgement judge(const Figures& expected) const;
  void adopt(const Figures& level);
  Figures ratio(Window window) const;
  Figures median_since(double since, std::size_t runs, Figures Verdict::*figures) const;

  JudgeTimes times_;
  JudgeMemory memory_;
};

}  // namespace tokprobe
