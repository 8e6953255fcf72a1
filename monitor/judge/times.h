#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tokprobe {

/// The label values of tokprobe_speed_ratio{window}.
enum class Window : std::size_t { kRecent, kTrend, kMonth };
inline constexpr std::array<std::string_view, 3> kWindows{"recent", "trend", "month"};

/// A window is the runs of so many seconds, or that many runs when they take longer: one rule
/// serves a probe a minute and a probe an hour.
struct WindowSize {
  double seconds;
  std::size_t runs;
};

/// Every span of time that the judge knows, in seconds.
struct JudgeTimes {
  double reference = 7 * 86400;         ///< normal is what was measured in this time ..
  double left_out = 3600;               ///< .. but for the newest part
  double longest_gap = 86400;           ///< the reference's clock passes over no more at once
  double slot = 3600;                   ///< without load figures: how near in the time of day
  double snapshot_every = 86400;        ///< the reference is noted so often ..
  double snapshot_after = 5.5 * 86400;  ///< .. once it holds so much
  double month = 28 * 86400;            ///< and compared when it is that old ..
  double month_least = 3 * 86400;       ///< .. or, while the agent is younger, at least so old
  std::array<WindowSize, kWindows.size()> windows{{{1800, 5}, {4 * 3600, 12}, {86400, 24}}};

  /// The same, all of it shorter by the factor: for rehearsals (see TOKPROBE_TEST_TIME_SCALE).
  JudgeTimes scaled(double factor) const;
};

}  // namespace tokprobe
