#pragma once

#include <array>
#include <string_view>

namespace tokprobe {

/// A name that `api:` may hold.
struct ApiName {
  std::string_view name;
  bool available;  ///< this version can speak it
};

/// The one place that says which of them are available.
inline constexpr std::array<ApiName, 11> kApiNames{{
    {"auto", true},
    {"openai-chat", true},
    {"openai-completions", true},
    {"openai-responses", false},
    {"anthropic-messages", false},
    {"ollama-chat", false},
    {"ollama-generate", false},
    {"tgi-generate", false},
    {"sglang-generate", false},
    {"llamacpp-completion", false},
    {"triton-generate", false},
}};

}  // namespace tokprobe
