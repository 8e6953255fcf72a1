#include "probes/prompts/prompt.h"

#include <algorithm>
#include <string_view>

#include "probes/base/random.h"
#include "probes/prompts/words.h"

namespace tokprobe {
namespace {

// Five words of the list are over 40 bits: no two prompts of a year begin alike.
constexpr int kNonceWords = 5;
constexpr std::string_view kInstruction =
    "Go on with this story in as many plain English words as you can:";
constexpr int kInstructionWords = 14;
// Below this a prompt is too short to carry the instruction.
constexpr int kShortPrompt = 40;

}  // namespace

PromptMaker::PromptMaker(std::uint64_t seed) : seed_(seed) {}

std::string PromptMaker::next(int words) {
  Random random(seed_ ^ (++count_ * 0xD1342543DE82EF95ULL));
  std::string out;
  out.reserve(static_cast<std::size_t>(std::max(words, kNonceWords)) * 6);
  const auto add_words = [&](int count) {
    for (int i = 0; i < count; ++i) {
      if (!out.empty()) out += ' ';
      out += kWords[random.below(kWords.size())];
    }
  };
  add_words(kNonceWords);
  int left = words - kNonceWords;
  if (words >= kShortPrompt) {
    out.append(". ").append(kInstruction);
    left -= kInstructionWords;
  }
  add_words(std::max(left, 0));
  return out;
}

}  // namespace tokprobe
