#include "probes/prompts/sizer.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tokprobe {
namespace {

constexpr std::size_t kMaxObservations = 8;
// No prompt is longer, and what a server counts beyond it is nonsense.
constexpr int kMost = 10'000'000;

bool about_the_same(int a, int b) { return std::abs(a - b) * 10 <= std::max(a, b); }

}  // namespace

void PromptSizer::observe(int words, std::int64_t tokens) {
  if (words <= 0 || words > kMost || tokens <= 0 || tokens > kMost || tokens * 3 < words) return;
  const auto same = std::find_if(seen_.begin(), seen_.end(), [&](const Observation& o) {
    return about_the_same(o.words, words);
  });
  if (same != seen_.end()) {
    *same = {words, tokens};
  } else {
    if (seen_.size() == kMaxObservations) seen_.erase(seen_.begin());
    seen_.push_back({words, tokens});
  }
}

int PromptSizer::words_for(int tokens) const {
  const auto distance = [&](const Observation& o) { return std::llabs(o.tokens - tokens); };
  const auto closer = [&](const Observation& a, const Observation& b) {
    return distance(a) < distance(b);
  };
  if (seen_.empty()) return std::max(1, static_cast<int>(std::lround(tokens / kDefaultRate)));
  const auto [near, far] = std::minmax_element(seen_.begin(), seen_.end(), closer);
  double rate = static_cast<double>(near->tokens) / near->words;
  if (far->words != near->words) {
    const double slope =
        static_cast<double>(far->tokens - near->tokens) / (far->words - near->words);
    if (slope > 0.3) rate = slope;
  }
  const double words = near->words + static_cast<double>(tokens - near->tokens) / rate;
  // Three words a token is the most that observe() believes.
  return static_cast<int>(std::lround(std::clamp(words, 1.0, 3.0 * std::max(tokens, 1))));
}

}  // namespace tokprobe
