#include "tests/sim/tokenizer.h"

#include <algorithm>

namespace tokprobe_sim {
namespace {

constexpr size_t kPieceBytes = 8;
constexpr uint32_t kVocabulary = 150000;

uint32_t piece_id(std::string_view piece) {
  uint32_t hash = 2166136261U;  // FNV-1a
  for (const char c : piece) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash % kVocabulary;
}

}  // namespace

std::vector<uint32_t> tokenize(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  std::vector<uint32_t> tokens;
  size_t at = text.find_first_not_of(kSpace);
  while (at != std::string_view::npos) {
    const size_t end = std::min(text.find_first_of(kSpace, at), text.size());
    for (; at < end; at += kPieceBytes) {
      tokens.push_back(piece_id(text.substr(at, std::min(kPieceBytes, end - at))));
    }
    at = text.find_first_not_of(kSpace, end);
  }
  return tokens;
}

}  // namespace tokprobe_sim
