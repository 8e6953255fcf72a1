#include <array>

#include "probes/dialects/dialect.h"
#include "probes/dialects/openai.h"

namespace tokprobe {
namespace {

constexpr std::array<Dialect, 2> kDialects{{
    {"openai-chat", "/v1/chat/completions", "OpenAI chat completions", openai_chat_body,
     make_openai_parser},
    {"openai-completions", "/v1/completions", "OpenAI text completions", openai_completions_body,
     make_openai_parser},
}};

}  // namespace

std::span<const Dialect> all_dialects() { return kDialects; }

const Dialect* find_dialect(std::string_view name) {
  for (const Dialect& dialect : kDialects) {
    if (dialect.name == name) return &dialect;
  }
  return nullptr;
}

}  // namespace tokprobe
