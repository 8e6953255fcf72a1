#include <nlohmann/json.hpp>

#include "probes/dialects/openai.h"

namespace tokprobe {
namespace {

nlohmann::ordered_json common(const Generation& generation) {
  nlohmann::ordered_json body;
  if (!generation.model.empty()) body["model"] = generation.model;
  body["max_tokens"] = generation.max_tokens;
  body["temperature"] = 0;
  body["stream"] = true;
  body["stream_options"] = {{"include_usage", true}};
  if (generation.ignore_eos) body["ignore_eos"] = true;
  return body;
}

// Prompts and model names may come from a command line: ill-formed UTF-8 must not throw.
std::string dump(const nlohmann::ordered_json& body) {
  return body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::string openai_chat_body(const Generation& generation) {
  nlohmann::ordered_json body = common(generation);
  body["messages"] = {{{"role", "user"}, {"content", generation.prompt}}};
  return dump(body);
}

std::string openai_completions_body(const Generation& generation) {
  nlohmann::ordered_json body = common(generation);
  body["prompt"] = generation.prompt;
  return dump(body);
}

}  // namespace tokprobe
