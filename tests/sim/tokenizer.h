#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tokprobe_sim {

// The simulator's own tokenizer, deterministic and without a vocabulary. Text is split at ASCII
// white space; a word of n bytes is ceil(n / 8) tokens, cut every 8 bytes. Returns one number below
// 150000 a token: a hash of its bytes. A chat adds a fixed number of template tokens (a setting),
// which callers put behind the text, so that a nonce at the start of a prompt defeats a cache.
std::vector<uint32_t> tokenize(std::string_view text);

}  // namespace tokprobe_sim
