#pragma once

#include <cstdint>
#include <string>

namespace tokprobe_sim {

enum class TextMode { kHealthy, kExclamation, kLoop };

// The words of one answer, one token at a time: token 0 without, later ones with a leading space.
// kHealthy: varied English sentences, a word (with its punctuation) a token. kExclamation: "!" for
// ever. kLoop: some healthy words, then one sentence for ever. The text depends on seed and id
// only.
class TextSource {
 public:
  TextSource(TextMode mode, uint64_t seed, uint64_t id) : mode_(mode), seed_(seed), id_(id) {}
  std::string next();

 private:
  std::string healthy_word();

  TextMode mode_;
  uint64_t seed_;
  uint64_t id_;
  uint64_t count_ = 0;    // tokens given
  uint64_t draws_ = 0;    // random choices made
  std::string sentence_;  // of which position_ bytes are used
  size_t position_ = 0;
};

}  // namespace tokprobe_sim
