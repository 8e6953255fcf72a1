#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tests/sim/settings.h"

namespace tokprobe_sim {

// What a client asked for, checked.
struct GenerationRequest {
  bool chat = true;
  bool stream = false;
  bool include_usage = false;
  bool continuous_usage = false;
  bool ignore_eos = false;
  std::optional<int> max_tokens;  // max_completion_tokens wins over max_tokens
  int min_tokens = 0;
  std::string model;                    // as the answer repeats it
  std::vector<uint32_t> prompt_tokens;  // template tokens included
};

struct ApiError {
  int status = 400;
  std::string message;
  std::string type = "BadRequestError";
  std::string param;  // empty: null
};

// Body of POST /v1/chat/completions (chat) or /v1/completions.
std::variant<GenerationRequest, ApiError> parse_generation(const std::string& body, bool chat,
                                                           const Settings& settings);
// Body of POST /tokenize, {"prompt"} or {"messages"}: its tokens.
std::variant<std::vector<uint32_t>, ApiError> parse_tokenize(const std::string& body,
                                                             const Settings& settings);

// How the answer will go: its length and why it ends there.
struct Plan {
  int output_tokens = 1;
  const char* finish_reason = "length";  // or stop
};
// Length = the limit, or without one default_tokens (chat; ends with stop) or 16. With probability
// early_stop, and never with ignore_eos, it stops at a length drawn from
// [max(1, min_tokens), limit - 1].
Plan make_plan(const GenerationRequest& request, const Settings& settings, uint64_t id);

}  // namespace tokprobe_sim
