#pragma once

#include <cstdint>
#include <string>

namespace tokprobe {

/// Makes the text of performance prompts. Each begins with a nonce, so that no prefix cache of the
/// server can hold any of it, and goes on in varied ordinary words, so that its token count is
/// steady and that speculation and expert routing see something like language.
class PromptMaker {
 public:
  /// The same seed gives the same prompts in the same order.
  explicit PromptMaker(std::uint64_t seed);
  /// A prompt of about `words` words, nonce and instruction included; at least the nonce.
  std::string next(int words);

 private:
  std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

}  // namespace tokprobe
