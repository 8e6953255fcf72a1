#include <simdjson.h>

#include "probes/base/text.h"
#include "probes/dialects/json_internal.h"
#include "probes/dialects/openai.h"

namespace tokprobe {
namespace {

using internal::count;
using internal::Json;
using internal::member;
using internal::text;

using Events = std::vector<StreamEvent>;

void add_text(Channel channel, std::string_view value, Events& out) {
  if (!value.empty()) out.emplace_back(TokenDelta{channel, value});
}

void add_usage(const Json& root, Events& out) {
  const auto usage = member(root, "usage");
  if (!usage || !usage->is_object()) return;
  Usage figures;
  figures.prompt = count(*usage, "prompt_tokens");
  figures.output = count(*usage, "completion_tokens");
  if (const auto details = member(*usage, "prompt_tokens_details")) {
    figures.cached = count(*details, "cached_tokens");
  }
  figures.reasoning = count(*usage, "reasoning_tokens");
  if (const auto details = member(*usage, "completion_tokens_details")) {
    if (const auto reasoning = count(*details, "reasoning_tokens")) figures.reasoning = reasoning;
  }
  out.emplace_back(figures);
}

void add_tool_calls(const Json& delta, Events& out) {
  simdjson::dom::array calls;
  if (delta["tool_calls"].get(calls) != simdjson::SUCCESS) return;
  for (const Json call : calls) {
    if (const auto function = member(call, "function")) {
      add_text(Channel::kTool, text(*function, "arguments"), out);
    }
  }
}

// `delta` of a chat chunk, or `message` of a whole answer.
void add_delta(const Json& delta, Events& out) {
  std::string_view reasoning = text(delta, "reasoning_content");
  if (reasoning.empty()) reasoning = text(delta, "reasoning");
  add_text(Channel::kReasoning, reasoning, out);
  add_text(Channel::kAnswer, text(delta, "content"), out);
  add_tool_calls(delta, out);
}

void add_choice(const Json& choice, Events& out) {
  if (const auto delta = member(choice, "delta")) {
    add_delta(*delta, out);
  } else if (const auto message = member(choice, "message")) {
    add_delta(*message, out);
  } else {
    add_text(Channel::kAnswer, text(choice, "text"), out);
  }
  if (const auto reason = text(choice, "finish_reason"); !reason.empty()) {
    out.emplace_back(Finish{reason});
  }
}

class OpenAiParser final : public StreamParser {
 public:
  void parse(const Frame& frame, Events& out) override {
    const std::string_view data = trim(frame.data);
    if (data == "[DONE]") {
      out.emplace_back(Terminal{});
    } else if (data.empty()) {
      if (frame.event == "error") out.emplace_back(ServerError{"an error event without a message"});
    } else {
      parse_json(frame, data, out);
    }
  }

  void parse_document(const Frame& body, Events& out) override {
    parse_json(body, trim(body.data), out);
    // A whole document is its own end mark.
    if (out.empty() || !std::holds_alternative<BadFrame>(out.back())) out.emplace_back(Terminal{});
  }

 private:
  void parse_json(const Frame& frame, std::string_view data, Events& out) {
    Json root;
    if (!internal::parse(parser_, data, root) || !root.is_object()) {
      if (frame.event == "error") {
        out.emplace_back(ServerError{printable(data)});
      } else {
        out.emplace_back(BadFrame{"not a JSON object: " + printable(data, 80)});
      }
      return;
    }
    if (auto message = internal::error_message(root)) {
      out.emplace_back(ServerError{std::move(*message)});
    } else if (frame.event == "error") {
      out.emplace_back(ServerError{printable(data)});
    }
    add_usage(root, out);
    simdjson::dom::array choices;
    if (root["choices"].get(choices) != simdjson::SUCCESS) return;
    for (const Json choice : choices) add_choice(choice, out);
  }

  simdjson::dom::parser parser_{kMaxFrameBytes};
};

}  // namespace

std::unique_ptr<StreamParser> make_openai_parser() { return std::make_unique<OpenAiParser>(); }

}  // namespace tokprobe
