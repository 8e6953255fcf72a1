#pragma once

#include <cstdint>

namespace tokprobe_sim {

// A value in [0, 1) that depends on its arguments only: the same seed gives the same run, whatever
// the order in which threads ask.
inline double chance(uint64_t seed, uint64_t id, uint64_t draw) {
  uint64_t x =
      seed * 0x9E3779B97F4A7C15ULL ^ id * 0xBF58476D1CE4E5B9ULL ^ draw * 0x94D049BB133111EBULL;
  for (int i = 0; i < 2; ++i) {  // splitmix64's finaliser
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    x ^= x >> 31;
  }
  return static_cast<double>(x >> 11) * 0x1.0p-53;
}

// Values of `draw` that are taken; tokens of a request draw from kDrawToken upwards.
enum Draw : uint64_t {
  kDrawTtft = 1,
  kDrawRate = 2,
  kDrawStop = 3,
  kDrawLength = 4,
  kDrawFault = 16,
  kDrawToken = 1024,
};

}  // namespace tokprobe_sim
