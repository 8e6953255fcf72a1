#pragma once

#include <string_view>

#include "probes/base/clock.h"

namespace tokprobe {

/// When a probe is due: a fixed grid on the monotonic clock, so that intervals neither drift nor
/// depend on how long runs take. Slots that were missed are never caught up. Pure.
struct Schedule {
  Duration interval;
  Duration phase;  ///< from 0 to interval

  /// The first slot after `after`.
  Time next_due(Time after) const;
  /// How many slots lie in (from, to].
  long slots_between(Time from, Time to) const;
};

/// The schedule of one probe of one target. The phase comes from their names: the same after every
/// restart and reload, and spread over targets and probes so that they do not fire together.
Schedule make_schedule(std::string_view target, std::string_view probe, Duration interval);

/// The first slot of an agent that starts at `now`: soon, so that there are figures, and spread by
/// the phase over at most kStartSpread. A probe that ran `last_run_age` ago (negative: never) waits
/// for its grid instead.
Time first_due(const Schedule& schedule, Time now, Duration last_run_age);
inline constexpr Duration kStartSpread = std::chrono::seconds(10);

}  // namespace tokprobe
