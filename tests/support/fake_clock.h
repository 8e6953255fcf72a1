#pragma once

#include "probes/base/clock.h"

namespace tokprobe {

/// A clock that stands until a test moves it. Wall time runs along with the monotonic one.
class FakeClock final : public Clock {
 public:
  Time now() const override { return now_; }
  WallTime wall() const override {
    return wall_start_ + std::chrono::duration_cast<WallTime::duration>(now_ - start_);
  }
  void advance(Duration d) { now_ += d; }
  void set(Time t) { now_ = t; }

 private:
  static constexpr Time start_{std::chrono::hours(100)};
  static constexpr WallTime wall_start_{std::chrono::seconds(1'800'000'000)};
  Time now_ = start_;
};

}  // namespace tokprobe
