#include "monitor/judge/reference.h"

#include <algorithm>
#include <cmath>

namespace tokprobe {
namespace {

constexpr double kDay = 86400;
constexpr double kDoubt = 0.4;
constexpr std::size_t kRefresh = 200;
constexpr std::size_t kMostAnswers = 1000;

// The epoch was a Thursday.
bool weekend(double time) {
  const auto day = static_cast<long long>(std::floor(time / kDay));
  return ((day + 3) % 7 + 7) % 7 >= 5;
}

double apart_in_the_day(double a, double b) {
  const double apart = std::fabs(std::fmod(a, kDay) - std::fmod(b, kDay));
  return std::min(apart, kDay - apart);
}

// The value that a share of the others is below, to the nearest.
float quantile(std::vector<float>& values, double share) {
  const auto at = std::lround(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

float middle(std::vector<float>& values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  if (values.size() % 2 != 0) return *half;
  return (*half + *std::max_element(values.begin(), half)) / 2;
}

template <class Picked>
Columns gather(const std::deque<Sample>& samples, const Picked& picked) {
  Columns columns;
  for (const Sample& s : samples) {
    if (!picked(s)) continue;
    for (std::size_t m = 0; m < columns.size(); ++m) columns[m].push_back(s.figures[m]);
  }
  return columns;
}

float bin_width(float running) { return std::max(1.0F, running / 10); }

}  // namespace

Figures medians(Columns& columns, std::size_t fewest) {
  Figures out = kNoFigures;
  for (std::size_t m = 0; m < out.size(); ++m) {
    auto& values = columns[m];
    values.erase(
        std::remove_if(values.begin(), values.end(), [](float v) { return std::isnan(v); }),
        values.end());
    if (!values.empty() && values.size() >= fewest) out[m] = middle(values);
  }
  return out;
}

void Reference::add(const Sample& sample) {
  const double gap = samples_.empty() ? 0 : sample.time - samples_.back().time;
  const double now =
      samples_.empty() ? 0 : clock_.back() + std::clamp(gap, 0.0, times_.longest_gap);
  samples_.push_back(sample);
  clock_.push_back(now);
  ++added_;
  while (now - clock_.front() > times_.reference) {
    samples_.pop_front();
    clock_.pop_front();
  }
}

double Reference::span() const { return clock_.empty() ? 0 : clock_.back() - clock_.front(); }

void Reference::scale(const Figures& factors) {
  answers_.clear();
  for (Sample& s : samples_) {
    for (std::size_t m = 0; m < factors.size(); ++m) {
      if (!std::isnan(factors[m])) s.figures[m] *= factors[m];
    }
  }
}

Figures Reference::expected(const LoadAt& at) const {
  if (std::isnan(at.running)) return at_time_of_day(at.time);
  const std::pair key{at.running, at.waiting > 0};
  const auto known = answers_.find(key);
  if (known != answers_.end() && added_ - known->second.added <= samples_.size() / kRefresh) {
    return known->second.figures;
  }
  if (answers_.size() >= kMostAnswers) answers_.clear();
  const Figures figures = expected_at_load(at);
  answers_.insert_or_assign(key, Answer{added_, figures});
  return figures;
}

Figures Reference::expected_at_load(const LoadAt& at) const {
  if (!(at.waiting > 0)) return at_load(at, false, true);
  Figures out = at_load(at, true, false);
  float& tpot = out[static_cast<std::size_t>(Judged::kTpot)];
  if (std::isnan(tpot)) tpot = at_load(at, false, true)[static_cast<std::size_t>(Judged::kTpot)];
  out[static_cast<std::size_t>(Judged::kTtft)] = kUnknown;
  return out;
}

Figures Reference::at_load(const LoadAt& at, bool saturated, bool borrow) const {
  // A server is slower the fuller it is: what it did when it was much emptier says nothing.
  const float emptiest = at.running - 2 * bin_width(at.running);
  const auto comparable = [&](const Sample& s) {
    return s.load_known() && s.saturated() == saturated && s.running >= emptiest;
  };
  const auto within = [&](float running, float width) {
    return gather(samples_, [&](const Sample& s) {
      return comparable(s) && std::fabs(s.running - running) <= width;
    });
  };
  Columns near = within(at.running, bin_width(at.running));
  if (near[0].size() >= kFewest || !borrow) return medians(near, kFewest);
  // Around the nearest load that was seen, and on towards where there is more.
  float nearest = kUnknown, farthest = 0;
  for (const Sample& s : samples_) {
    if (!comparable(s)) continue;
    const float apart = std::fabs(s.running - at.running);
    if (std::isnan(nearest) || apart < std::fabs(nearest - at.running)) nearest = s.running;
    farthest = std::max(farthest, apart);
  }
  if (std::isnan(nearest)) return kNoFigures;
  for (float width = bin_width(nearest); near[0].size() < kFewest; width *= 2) {
    near = within(nearest, width);
    if (width > 2 * farthest) break;
  }
  return medians(near, kFewest);
}

Figures Reference::at_time_of_day(double time) const {
  Columns near;
  for (double within = times_.slot; within <= 4 * times_.slot; within *= 2) {
    near = gather(samples_, [&](const Sample& s) {
      return weekend(s.time) == weekend(time) && apart_in_the_day(s.time, time) <= within;
    });
    if (near[0].size() >= kFewest) break;
  }
  // Who does not know the load gives the server the benefit of the doubt: not the middle, but what
  // three in five runs reach.
  Figures out = medians(near, kFewest);
  for (std::size_t m = 0; m < out.size(); ++m) {
    if (!std::isnan(out[m])) {
      out[m] = quantile(near[m], kJudged[m].more_is_better ? kDoubt : 1 - kDoubt);
    }
  }
  return out;
}

}  // namespace tokprobe
