#include "monitor/judge/judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tokprobe {
namespace {

// Below these a run is no example of what is normal. Tighter than any alert should be, since what
// has once entered the reference cannot be told from it.
struct Bound {
  float recent, trend;
};
constexpr std::array<Bound, kJudged.size()> kAcceptable{
    {{0.90F, 0.95F}, {0.75F, 0.88F}, {0.90F, 0.95F}}};

// As a beginning, this leaves the number of runs to decide.
constexpr double kNever = std::numeric_limits<double>::infinity();

Figures quotient(const Figures& measured, const Figures& expected) {
  Figures out = kNoFigures;
  for (std::size_t m = 0; m < out.size(); ++m) {
    const float ratio =
        kJudged[m].more_is_better ? measured[m] / expected[m] : expected[m] / measured[m];
    if (std::isfinite(ratio)) out[m] = ratio;
  }
  return out;
}

}  // namespace

Judgement Judge::admit(const Sample& run, const std::string& identity) {
  const LoadAt at{run.time, run.running, run.waiting};
  set_back(run.time);
  age(run.time);
  try_identity(identity, run.time);
  const Figures expected = memory_.reference.expected(at);
  Verdict verdict{run.time, quotient(run.figures, expected), kNoFigures};
  if (!memory_.snapshots.empty() &&
      run.time - memory_.snapshots.front().time >= times_.month_least) {
    verdict.month = quotient(run.figures, memory_.snapshots.front().at(at));
  }
  memory_.verdicts.push_back(verdict);
  const bool adopted = settle_trial();
  if (memory_.trial.empty() && !regressed()) memory_.waiting.push_back(run);
  // Adopting a new level changes what is expected.
  return judge(adopted ? memory_.reference.expected(at) : expected);
}

Judgement Judge::judgement(const LoadAt& at) const { return judge(memory_.reference.expected(at)); }

Judgement Judge::judge(const Figures& expected) const {
  Judgement out;
  out.expected = expected;
  for (std::size_t w = 0; w < kWindows.size(); ++w) out.ratios[w] = ratio(static_cast<Window>(w));
  out.samples = memory_.reference.size();
  return out;
}

// A clock that was wrong and was set right: what was noted in the future would block everything.
void Judge::set_back(double now) {
  auto& m = memory_;
  const auto drop_later = [now](auto& notes) {
    while (!notes.empty() && notes.back().time > now) notes.pop_back();
  };
  drop_later(m.waiting);
  drop_later(m.verdicts);
  drop_later(m.snapshots);
  m.trial_since = std::min(m.trial_since, now);
}

void Judge::age(double now) {
  auto& m = memory_;
  while (!m.waiting.empty() && now - m.waiting.front().time > times_.left_out) {
    if (!regressed()) m.reference.add(m.waiting.front());
    m.waiting.pop_front();
  }
  const WindowSize& longest = times_.windows.back();
  while (m.verdicts.size() > std::max(longest.runs, kTrialRuns) &&
         now - m.verdicts.front().time > longest.seconds) {
    m.verdicts.pop_front();
  }
  if (m.reference.span() >= times_.snapshot_after && m.trial.empty() &&
      (m.snapshots.empty() || now - m.snapshots.back().time >= times_.snapshot_every)) {
    m.snapshots.push_back(take_snapshot(m.reference, now));
  }
  // The oldest is the one to compare with, so the next one must be old enough before it goes.
  while (m.snapshots.size() > 1 && now - m.snapshots[1].time >= times_.month)
    m.snapshots.pop_front();
}

bool Judge::regressed() const {
  const Figures recent = ratio(Window::kRecent);
  const Figures trend = ratio(Window::kTrend);
  for (std::size_t m = 0; m < kAcceptable.size(); ++m) {
    if (recent[m] < kAcceptable[m].recent || trend[m] < kAcceptable[m].trend) return true;
  }
  return false;
}

void Judge::try_identity(const std::string& identity, double now) {
  auto& m = memory_;
  if (identity.empty()) return;
  if (m.identity.empty()) m.identity = identity;
  if (identity == m.identity) {
    m.trial.clear();
  } else if (identity != m.trial) {
    m.trial = identity;
    m.trial_since = now;
  }
}

bool Judge::settle_trial() {
  auto& m = memory_;
  if (m.trial.empty()) return false;
  const auto begun = std::find_if(m.verdicts.begin(), m.verdicts.end(),
                                  [&](const Verdict& v) { return v.time >= m.trial_since; });
  if (m.verdicts.end() - begun < static_cast<std::ptrdiff_t>(kTrialRuns)) return false;
  Figures level = median_since(kNever, kTrialRuns, &Verdict::ratio);
  for (float& f : level) {
    if (f < kSame) return false;
    // The same needs no new level; what has become better does.
    if (f < 2 - kSame) f = 1;
  }
  adopt(level);
  return true;
}

bool Judge::accept() {
  const auto& m = memory_;
  Figures level = ratio(Window::kTrend);
  if (!m.trial.empty()) level = median_since(m.trial_since, kTrialRuns, &Verdict::ratio);
  const bool known =
      std::any_of(level.begin(), level.end(), [](float f) { return !std::isnan(f); });
  if (known || !m.trial.empty()) adopt(level);
  return known || !m.trial.empty();
}

// Everything that was compared with the old level is carried over to the new one.
void Judge::adopt(const Figures& level) {
  auto& m = memory_;
  Figures factor = level;
  for (std::size_t i = 0; i < factor.size(); ++i) {
    if (!kJudged[i].more_is_better) factor[i] = 1 / factor[i];
  }
  const auto each = [&](Figures& figures, const Figures& by) {
    for (std::size_t i = 0; i < by.size(); ++i) {
      if (!std::isnan(by[i])) figures[i] *= by[i];
    }
  };
  m.reference.scale(factor);
  for (Snapshot& s : m.snapshots) {
    for (Normal& row : s.rows) each(row.figures, factor);
  }
  Figures back = level;
  for (float& f : back) f = 1 / f;
  for (Verdict& v : m.verdicts) {
    each(v.ratio, back);
    each(v.month, back);
  }
  m.waiting.clear();
  if (!m.trial.empty()) m.identity = m.trial;
  m.trial.clear();
}

Figures Judge::ratio(Window window) const {
  const WindowSize& size = times_.windows[static_cast<std::size_t>(window)];
  if (memory_.verdicts.empty()) return kNoFigures;
  return median_since(memory_.verdicts.back().time - size.seconds, size.runs,
                      window == Window::kMonth ? &Verdict::month : &Verdict::ratio);
}

// Over the runs after `since`, or the last `runs` when those are more.
Figures Judge::median_since(double since, std::size_t runs, Figures Verdict::*figures) const {
  Columns values;
  std::size_t taken = 0;
  for (auto v = memory_.verdicts.rbegin(); v != memory_.verdicts.rend(); ++v, ++taken) {
    if (v->time <= since && taken >= runs) break;
    for (std::size_t m = 0; m < values.size(); ++m) values[m].push_back(((*v).*figures)[m]);
  }
  return taken < runs ? kNoFigures : medians(values);
}

}  // namespace tokprobe
