#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <unordered_set>
#include <vector>

namespace tokprobe_sim {

// Which prompt prefixes were seen, in whole blocks of 16 tokens. Thread-safe.
class PrefixCache {
 public:
  static constexpr int kBlock = 16;
  static constexpr size_t kMaxBlocks = 65536;  // beyond it the oldest is forgotten

  // Number of leading tokens that an earlier prompt shared: a multiple of kBlock, and less than the
  // prompt, whose last token is always computed. Remembers this prompt.
  int look_up(const std::vector<uint32_t>& tokens);
  void clear();

 private:
  std::mutex mutex_;
  std::unordered_set<uint64_t> blocks_;
  std::deque<uint64_t> order_;
};

}  // namespace tokprobe_sim
