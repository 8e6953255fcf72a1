#pragma once

#include <cstdint>

namespace tokprobe {

/// SplitMix64: a small, fast, seeded generator whose sequence never changes between versions,
/// which std::default_random_engine and the standard distributions do not promise. Not for secrets.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  /// Evenly from 0 to bound - 1 (the bias at our bounds is below 2^-40). Requires bound > 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

/// A seed that differs from process to process (from the kernel).
std::uint64_t random_seed();

}  // namespace tokprobe
