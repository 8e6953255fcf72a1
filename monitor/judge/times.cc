#include "monitor/judge/times.h"

namespace tokprobe {

JudgeTimes JudgeTimes::scaled(double factor) const {
  JudgeTimes out = *this;
  for (double* span : {&out.reference, &out.left_out, &out.longest_gap, &out.slot,
                       &out.snapshot_every, &out.snapshot_after, &out.month, &out.month_least}) {
    *span /= factor;
  }
  for (WindowSize& window : out.windows) window.seconds /= factor;
  return out;
}

}  // namespace tokprobe
