#pragma once

#include <chrono>

namespace tokprobe {

/// An instant on the monotonic clock. All measuring is done with it.
using Time = std::chrono::steady_clock::time_point;
/// An instant on the wall clock. Only for people and for timestamps in metrics and documents.
using WallTime = std::chrono::system_clock::time_point;
using Duration = std::chrono::nanoseconds;

/// Seconds as a floating-point number, the unit of every machine format.
constexpr double seconds(Duration d) { return std::chrono::duration<double>(d).count(); }
constexpr Duration from_seconds(double s) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(s));
}
/// Seconds since the epoch, as Prometheus writes timestamps.
constexpr double unix_seconds(WallTime t) {
  return std::chrono::duration<double>(t.time_since_epoch()).count();
}

/// Where time comes from. No other file of the program reads a clock, so that a test owns time.
/// Implementations are safe to call from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
  virtual WallTime wall() const = 0;
};

/// The machine's clocks.
class SteadyClock final : public Clock {
 public:
  Time now() const override;
  WallTime wall() const override;
};

}  // namespace tokprobe
