#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "monitor/judge/figures.h"
#include "monitor/judge/times.h"

namespace tokprobe {

/// The load of a server at a time, as far as it is known.
struct LoadAt {
  double time = 0;
  float running = kUnknown;
  float waiting = kUnknown;
};

/// What a probe normally sees: the runs that were accepted as normal, and from them the median at a
/// given load. Memory: 32 bytes a run, a week of them.
///
/// At a known load the runs count that had nearly the same number running (within 1, or a tenth)
/// and nothing waiting; when there are too few, those at the nearest load that was seen, unless the
/// server was much emptier then (a new peak is no regression, and must be learned from). A full
/// server (something waiting) is compared with runs of a full server; of those, or of an empty bin,
/// only the decode speed may be taken from elsewhere, and TTFT not at all, since it is made of
/// other people's requests. Without load figures the runs count that were made at the same time of
/// day (UTC), on a working day or at the weekend, and expected is what three in five of them reach.
///
/// The 7 days are days of accepted runs: while nothing is accepted (a server that is slow for two
/// weeks, an agent that is off) the reference does not age.
class Reference {
 public:
  explicit Reference(const JudgeTimes& times) : times_(times) {}

  /// A time that goes back counts as no time.
  void add(const Sample& sample);
  /// NaN where too little is known. At a known load an answer may leave out the newest half percent
  /// of the runs.
  Figures expected(const LoadAt& at) const;
  std::size_t size() const { return samples_.size(); }
  /// Seconds of accepted runs that it holds.
  double span() const;
  /// Multiplies every figure: the shape over load stays, the level changes.
  void scale(const Figures& factors);
  const std::deque<Sample>& samples() const { return samples_; }

 private:
  Figures expected_at_load(const LoadAt& at) const;
  Figures at_load(const LoadAt& at, bool saturated, bool borrow) const;
  Figures at_time_of_day(double time) const;

  JudgeTimes times_;
  std::deque<Sample> samples_;
  std::deque<double> clock_;  ///< accepted time of each sample
  // Answers are used again until the reference has grown by half a percent.
  struct Answer {
    std::size_t added;
    Figures figures;
  };
  mutable std::map<std::pair<float, bool>, Answer> answers_;
  std::size_t added_ = 0;
};

/// Fewer runs than this say nothing.
inline constexpr std::size_t kFewest = 10;

/// Values of each measure, NaN among them.
using Columns = std::array<std::vector<float>, kJudged.size()>;
/// The median of each column without its NaN; NaN when fewer than `fewest` are left. Changes the
/// order of the values.
Figures medians(Columns& columns, std::size_t fewest = 1);

}  // namespace tokprobe
