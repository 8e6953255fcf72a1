#include "probes/base/clock.h"

namespace tokprobe {

Time SteadyClock::now() const { return std::chrono::steady_clock::now(); }
WallTime SteadyClock::wall() const { return std::chrono::system_clock::now(); }

}  // namespace tokprobe
