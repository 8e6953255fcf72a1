#include "tests/sim/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/sim/chance.h"
#include "tests/sim/tokenizer.h"

namespace tokprobe_sim {
namespace {

using nlohmann::json;

constexpr int kDefaultCompletionTokens = 16;

// Thrown within this file only; a body has too many ways to be wrong for error returns to read
// well.
struct Refused {
  ApiError error;
};

[[noreturn]] void refuse(std::string message, std::string param) {
  throw Refused{ApiError{400, std::move(message), "BadRequestError", std::move(param)}};
}

const json* find(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

bool truth(const json& object, const char* key) {
  const json* value = find(object, key);
  if (value == nullptr) return false;
  if (!value->is_boolean()) refuse(fmt::format("{} must be a boolean", key), key);
  return value->get<bool>();
}

std::optional<int> count(const json& object, const char* key, int low) {
  const json* value = find(object, key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number_integer() || value->get<double>() < low || value->get<double>() > 1e9) {
    refuse(fmt::format("{} must be an integer of at least {}", key, low), key);
  }
  return value->get<int>();
}

json parse_object(const std::string& body) {
  json document = json::parse(body, nullptr, false);
  if (!document.is_object()) refuse("the body is not a JSON object", "");
  return document;
}

std::string text_of_content(const json& content) {
  if (content.is_null()) return "";
  if (content.is_string()) return content.get<std::string>();
  if (!content.is_array()) refuse("content must be a string or a list of parts", "messages");
  std::string text;
  for (const json& part : content) {
    if (!part.is_object() || !part.contains("text") || !part["text"].is_string()) {
      refuse("only text parts are supported", "messages");
    }
    text += part["text"].get<std::string>() + "\n";
  }
  return text;
}

std::vector<uint32_t> chat_tokens(const json& document, const Settings& settings) {
  const json* messages = find(document, "messages");
  if (messages == nullptr || !messages->is_array() || messages->empty()) {
    refuse("messages must be a list that is not empty", "messages");
  }
  std::string text;
  for (const json& message : *messages) {
    if (!message.is_object() || !message.contains("role") || !message["role"].is_string()) {
      refuse("a message needs a role", "messages");
    }
    text += text_of_content(message.value("content", json())) + "\n";
  }
  std::vector<uint32_t> tokens = tokenize(text);
  for (int i = 0; i < settings.template_tokens; ++i) tokens.push_back(static_cast<uint32_t>(i));
  return tokens;
}

std::vector<uint32_t> prompt_tokens(const json& document) {
  const json* prompt = find(document, "prompt");
  if (prompt != nullptr && prompt->is_array() && prompt->size() == 1 && !(*prompt)[0].is_number()) {
    prompt = &(*prompt)[0];
  }
  if (prompt != nullptr && prompt->is_string()) return tokenize(prompt->get<std::string>());
  if (prompt == nullptr || !prompt->is_array() || prompt->empty()) {
    refuse("prompt must be one string or one list of token ids", "prompt");
  }
  std::vector<uint32_t> tokens;
  for (const json& token : *prompt) {
    if (!token.is_number_unsigned()) refuse("prompt holds something that is no token id", "prompt");
    tokens.push_back(token.get<uint32_t>());
  }
  return tokens;
}

void read_stream_options(const json& document, GenerationRequest& request) {
  const json* options = find(document, "stream_options");
  if (options == nullptr) return;
  if (!request.stream) refuse("stream_options need stream: true", "stream_options");
  if (!options->is_object()) refuse("stream_options must be an object", "stream_options");
  request.include_usage = truth(*options, "include_usage");
  request.continuous_usage = request.include_usage && truth(*options, "continuous_usage_stats");
}

GenerationRequest read_request(const json& document, bool chat, const Settings& settings) {
  GenerationRequest request;
  request.chat = chat;
  const json* model = find(document, "model");
  if (model != nullptr && !model->is_string()) refuse("model must be a string", "model");
  request.model = model == nullptr ? settings.model : model->get<std::string>();
  if (!settings.any_model && request.model != settings.model) {
    throw Refused{ApiError{404, fmt::format("The model `{}` does not exist.", request.model),
                           "NotFoundError", "model"}};
  }
  request.prompt_tokens = chat ? chat_tokens(document, settings) : prompt_tokens(document);
  request.stream = truth(document, "stream");
  read_stream_options(document, request);
  request.ignore_eos = truth(document, "ignore_eos");
  if (count(document, "n", 1).value_or(1) != 1) refuse("only n = 1 is supported", "n");
  request.max_tokens = count(document, "max_completion_tokens", 1);
  if (!request.max_tokens) request.max_tokens = count(document, "max_tokens", 1);
  request.min_tokens = count(document, "min_tokens", 0).value_or(0);
  if (request.max_tokens && request.min_tokens > *request.max_tokens) {
    refuse("min_tokens must not be above max_tokens", "min_tokens");
  }
  const auto total =
      static_cast<int64_t>(request.prompt_tokens.size()) + request.max_tokens.value_or(1);
  if (total > settings.max_model_len) {
    refuse(
        fmt::format("This model's maximum context length is {} tokens. However, you requested {} "
                    "tokens ({} in the prompt, {} in the completion).",
                    settings.max_model_len, total, request.prompt_tokens.size(),
                    request.max_tokens.value_or(1)),
        "max_tokens");
  }
  return request;
}

}  // namespace

std::variant<GenerationRequest, ApiError> parse_generation(const std::string& body, bool chat,
                                                           const Settings& settings) {
  try {
    return read_request(parse_object(body), chat, settings);
  } catch (const Refused& refused) {
    return refused.error;
  }
}

std::variant<std::vector<uint32_t>, ApiError> parse_tokenize(const std::string& body,
                                                             const Settings& settings) {
  try {
    const json document = parse_object(body);
    return document.contains("messages") ? chat_tokens(document, settings)
                                         : prompt_tokens(document);
  } catch (const Refused& refused) {
    return refused.error;
  }
}

Plan make_plan(const GenerationRequest& request, const Settings& settings, uint64_t id) {
  const int room = settings.max_model_len - static_cast<int>(request.prompt_tokens.size());
  const int unasked = request.chat ? settings.default_tokens : kDefaultCompletionTokens;
  Plan plan;
  plan.output_tokens = std::clamp(request.max_tokens.value_or(unasked), 1, std::max(1, room));
  if (!request.max_tokens && request.chat && !request.ignore_eos && unasked <= room) {
    plan.finish_reason = "stop";
  }
  const int shortest = std::max(1, request.min_tokens);
  const uint64_t seed = settings.engine.seed;
  if (request.ignore_eos || shortest >= plan.output_tokens ||
      chance(seed, id, kDrawStop) >= settings.early_stop) {
    return plan;
  }
  const double span = plan.output_tokens - shortest;
  plan.output_tokens = shortest + static_cast<int>(chance(seed, id, kDrawLength) * span);
  plan.finish_reason = "stop";
  return plan;
}

}  // namespace tokprobe_sim
