#pragma once

#include <cstdint>
#include <vector>

namespace tokprobe {

/// Learns how many words a prompt needs to have a wanted length in the server's tokens: from the
/// server's own `usage.prompt_tokens`, without a tokenizer. A value: copy it, compare it, save it.
///
/// tokens = overhead (chat template, nonce) + rate * words is fitted through the observation
/// nearest to the wanted length and the one farthest from it; with one observation the overhead is
/// taken as 0, with none the rate as kDefaultRate.
class PromptSizer {
 public:
  static constexpr double kDefaultRate = 1.1;
  struct Observation {
    int words = 0;
    std::int64_t tokens = 0;
  };

  /// Notes that a prompt of `words` words was counted as `tokens`. A later observation of about the
  /// same length replaces an earlier one. Nonsense (nothing, less than a token for three words,
  /// more than ten million) is passed over.
  void observe(int words, std::int64_t tokens);
  /// From 1 to three times the tokens. Requires tokens up to a hundred million.
  int words_for(int tokens) const;
  bool calibrated() const { return !seen_.empty(); }
  const std::vector<Observation>& observations() const { return seen_; }

 private:
  std::vector<Observation> seen_;
};

}  // namespace tokprobe
