#include "monitor/daemon/schedule.h"

#include <algorithm>
#include <string>

#include "probes/base/random.h"
#include "probes/base/text.h"

namespace tokprobe {

Time Schedule::next_due(Time after) const {
  const Duration since = after.time_since_epoch() - phase;
  const auto slot = since.count() >= 0 ? since / interval + 1 : 0;
  return Time(phase + slot * interval);
}

long Schedule::slots_between(Time from, Time to) const {
  return static_cast<long>((next_due(to) - next_due(from)) / interval);
}

Schedule make_schedule(std::string_view target, std::string_view probe, Duration interval) {
  // The generator's mixing spreads names that differ in one letter.
  const auto hash = Random(stable_hash(std::string(target) + '\n' + std::string(probe))).next();
  return {interval,
          Duration(static_cast<std::int64_t>(hash % static_cast<std::uint64_t>(interval.count())))};
}

Time first_due(const Schedule& schedule, Time now, Duration last_run_age) {
  if (last_run_age >= Duration::zero() && last_run_age < schedule.interval) {
    return schedule.next_due(now);
  }
  const Duration spread = std::min<Duration>(schedule.interval, kStartSpread);
  return now + Duration(schedule.phase.count() % spread.count());
}

}  // namespace tokprobe
