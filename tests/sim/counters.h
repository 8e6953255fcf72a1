#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "tests/sim/scheduler.h"

namespace tokprobe_sim {

// The counters behind GET /metrics. Thread-safe.
struct Counters {
  static constexpr std::array<const char*, 4> kReasons = {"stop", "length", "abort", "error"};

  std::atomic<uint64_t> prompt_tokens{0};
  std::atomic<uint64_t> generation_tokens{0};
  std::array<std::atomic<uint64_t>, 4> finished{};

  void finish(const std::string& reason);
  void clear();
};

// Prometheus text format 0.0.4 with vLLM's names.
std::string metrics_page(const Counters& counters, const Load& load, int kv_tokens,
                         const std::string& model);

}  // namespace tokprobe_sim
