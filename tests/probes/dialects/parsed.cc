#include "tests/probes/dialects/parsed.h"

namespace tokprobe {
namespace {

std::string figure(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : "-";
}

std::string channel_name(Channel channel) {
  switch (channel) {
    case Channel::kAnswer:
      return "answer";
    case Channel::kReasoning:
      return "reasoning";
    case Channel::kTool:
      return "tool";
  }
  return "?";
}

// Data with the padding that a framer promises.
std::string padded(std::string_view data) {
  return std::string(data) + std::string(kFramePadding, '}');
}

}  // namespace

std::string described(const StreamEvent& event) {
  if (const auto* delta = std::get_if<TokenDelta>(&event)) {
    return channel_name(delta->channel) + ":" + std::string(delta->text);
  }
  if (const auto* usage = std::get_if<Usage>(&event)) {
    return (usage->native ? "native:" : "usage:") + figure(usage->prompt) + "/" +
           figure(usage->output) + "/" + figure(usage->cached) + "/" + figure(usage->reasoning);
  }
  if (const auto* finish = std::get_if<Finish>(&event))
    return "finish:" + std::string(finish->reason);
  if (const auto* error = std::get_if<ServerError>(&event)) return "error:" + error->message;
  if (const auto* bad = std::get_if<BadFrame>(&event)) return "bad:" + bad->message;
  return "end";
}

std::vector<std::string> described(const std::vector<StreamEvent>& events) {
  std::vector<std::string> words;
  for (const StreamEvent& event : events) words.push_back(described(event));
  return words;
}

std::vector<std::string> parsed(std::string_view data, StreamParser& parser,
                                std::string_view event) {
  const std::string bytes = padded(data);
  std::vector<StreamEvent> events;
  parser.parse(Frame{event, std::string_view(bytes).substr(0, data.size()), Time{}, true}, events);
  return described(events);
}

std::vector<std::string> parsed(std::string_view data, std::string_view event) {
  return parsed(data, *find_dialect("openai-chat")->make_parser(), event);
}

std::vector<std::string> document(std::string_view data) {
  const std::string bytes = padded(data);
  std::vector<StreamEvent> events;
  const auto parser = find_dialect("openai-chat")->make_parser();  // owns the text of the events
  parser->parse_document(Frame{{}, std::string_view(bytes).substr(0, data.size()), Time{}, true},
                         events);
  return described(events);
}

}  // namespace tokprobe
