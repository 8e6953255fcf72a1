#include "tests/sim/prefix_cache.h"

namespace tokprobe_sim {

int PrefixCache::look_up(const std::vector<uint32_t>& tokens) {
  const std::lock_guard lock(mutex_);
  uint64_t chain = 14695981039346656037ULL;
  int cached = 0;
  bool hit = true;
  for (size_t begin = 0; begin + kBlock < tokens.size(); begin += kBlock) {
    for (size_t i = begin; i < begin + kBlock; ++i) chain = (chain ^ tokens[i]) * 1099511628211ULL;
    const bool fresh = blocks_.insert(chain).second;
    if (fresh) order_.push_back(chain);
    hit = hit && !fresh;
    if (hit) cached += kBlock;
  }
  while (order_.size() > kMaxBlocks) {
    blocks_.erase(order_.front());
    order_.pop_front();
  }
  return cached;
}

void PrefixCache::clear() {
  const std::lock_guard lock(mutex_);
  blocks_.clear();
  order_.clear();
}

}  // namespace tokprobe_sim
