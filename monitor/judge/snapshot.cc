#include "monitor/judge/snapshot.h"

#include <algorithm>
#include <cmath>

namespace tokprobe {
namespace {

constexpr double kDay = 86400;
constexpr double kHour = 3600;
// A Monday and a Saturday.
constexpr double kDays[] = {4 * kDay, 9 * kDay};

int hour_key(double time) {
  const double day = std::floor(time / kDay);
  const int weekday = static_cast<int>(std::fmod(std::fmod(day + 3, 7) + 7, 7));
  const int hour = static_cast<int>((time - day * kDay) / kHour);
  return hour + (weekday >= 5 ? 24 : 0);
}

bool any_known(const Figures& figures) {
  return std::any_of(figures.begin(), figures.end(), [](float f) { return !std::isnan(f); });
}

}  // namespace

Figures Snapshot::at(const LoadAt& load) const {
  const bool by_load = !std::isnan(load.running);
  const float key = by_load ? load.running : static_cast<float>(hour_key(load.time));
  const Normal* nearest = nullptr;
  for (const Normal& row : rows) {
    if (row.by_load != by_load || row.saturated != (by_load && load.waiting > 0)) continue;
    if (!by_load && row.key != key) continue;
    if (nearest == nullptr || std::fabs(row.key - key) < std::fabs(nearest->key - key)) {
      nearest = &row;
    }
  }
  return nearest == nullptr ? kNoFigures : nearest->figures;
}

Snapshot take_snapshot(const Reference& reference, double time) {
  Snapshot snapshot{time, {}};
  float most = -1;
  bool without_load = false;
  for (const Sample& s : reference.samples()) {
    if (s.load_known()) most = std::max(most, s.running);
    without_load = without_load || !s.load_known();
  }
  const auto add = [&](bool by_load, bool saturated, float key, const LoadAt& at) {
    const Figures figures = reference.expected(at);
    if (any_known(figures)) snapshot.rows.push_back({by_load, saturated, key, figures});
  };
  for (float running = 0; running <= most; running += std::max(1.0F, std::floor(running / 10))) {
    add(true, false, running, {time, running, 0});
    add(true, true, running, {time, running, 1});
  }
  for (int hour = 0; without_load && hour < 48; ++hour) {
    const double at = kDays[hour / 24] + (hour % 24 + 0.5) * kHour;
    add(false, false, static_cast<float>(hour), {at, kUnknown, kUnknown});
  }
  return snapshot;
}

}  // namespace tokprobe
