#include "tests/sim/response.h"

#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>

namespace tokprobe_sim {
namespace {

using nlohmann::json;

std::string quote(const std::string& text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string usage_json(const UsageCounts& usage) {
  std::string out = fmt::format(R"({{"prompt_tokens":{},"total_tokens":{},"completion_tokens":{})",
                                usage.prompt, usage.prompt + usage.output, usage.output);
  if (usage.cached >= 0) {
    out += fmt::format(R"(,"prompt_tokens_details":{{"cached_tokens":{}}})", usage.cached);
  }
  if (usage.reasoning > 0) {
    out +=
        fmt::format(R"(,"completion_tokens_details":{{"reasoning_tokens":{}}})", usage.reasoning);
  }
  return out + "}";
}

std::string ending(const std::optional<UsageCounts>& usage) {
  return (usage ? ",\"usage\":" + usage_json(*usage) : std::string()) + "}\n\n";
}

}  // namespace

std::string error_body(const ApiError& error) {
  const json body = {{"message", error.message},
                     {"type", error.type},
                     {"param", error.param.empty() ? json() : json(error.param)},
                     {"code", error.status}};
  return json{{"error", body}}.dump(-1, ' ', false, json::error_handler_t::replace);
}

ResponseWriter::ResponseWriter(const GenerationRequest& request, uint64_t id)
    : chat_(request.chat),
      id_(fmt::format("{}-sim-{}", request.chat ? "chatcmpl" : "cmpl", id)),
      created_(std::time(nullptr)),
      model_(request.model) {
  head_ = fmt::format(R"(data: {{"id":"{}","object":"{}","created":{},"model":{},"choices":[)", id_,
                      chat_ ? "chat.completion.chunk" : "text_completion", created_, quote(model_));
}

std::string ResponseWriter::role_event(const std::optional<UsageCounts>& usage) const {
  return head_ +
         R"({"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}])" +
         ending(usage);
}

std::string ResponseWriter::text_event(Channel channel, const std::string& text,
                                       const char* finish_reason,
                                       const std::optional<UsageCounts>& usage) const {
  const std::string reason =
      finish_reason == nullptr ? "null" : fmt::format("\"{}\"", finish_reason);
  std::string body;
  if (chat_) {
    body = fmt::format(R"({{"index":0,"delta":{{"{}":{}}},"logprobs":null,"finish_reason":{}}}])",
                       channel == Channel::kReasoning ? "reasoning_content" : "content",
                       quote(text), reason);
  } else {
    body = fmt::format(R"({{"index":0,"text":{},"logprobs":null,"finish_reason":{}}}])",
                       quote(text), reason);
  }
  return head_ + body + ending(usage);
}

std::string ResponseWriter::usage_event(const UsageCounts& usage) const {
  return head_ + "]" + ending(usage);
}

std::string ResponseWriter::error_event(const std::string& message) {
  return "data: " + error_body({500, message, "InternalServerError", ""}) + "\n\n";
}

std::string ResponseWriter::whole(const std::string& reasoning, const std::string& answer,
                                  const char* finish_reason, const UsageCounts& usage) const {
  json choice = {{"index", 0}, {"logprobs", nullptr}, {"finish_reason", finish_reason}};
  if (chat_) {
    choice["message"] = {{"role", "assistant"}, {"content", answer}};
    if (!reasoning.empty()) choice["message"]["reasoning_content"] = reasoning;
  } else {
    choice["text"] = answer;
  }
  return json{{"id", id_},           {"object", chat_ ? "chat.completion" : "text_completion"},
              {"created", created_}, {"model", model_},
              {"choices", {choice}}, {"usage", json::parse(usage_json(usage))}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace tokprobe_sim
