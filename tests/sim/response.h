#pragma once

#include <optional>
#include <string>

#include "tests/sim/request.h"

namespace tokprobe_sim {

struct UsageCounts {
  int prompt = 0;
  int cached = -1;  // -1: not reported
  int output = 0;
  int reasoning = 0;
};

// {"error": {"message", "type", "param", "code"}}
std::string error_body(const ApiError& error);

// The JSON of one answer, in vLLM's shapes. Events are made with string pieces prepared once,
// since one is made for each token.
class ResponseWriter {
 public:
  ResponseWriter(const GenerationRequest& request, uint64_t id);

  enum class Channel { kAnswer, kReasoning };
  // Server-sent events, each "data: " JSON LF LF.
  std::string role_event(const std::optional<UsageCounts>& usage) const;
  std::string text_event(Channel channel, const std::string& text, const char* finish_reason,
                         const std::optional<UsageCounts>& usage) const;
  std::string usage_event(const UsageCounts& usage) const;
  static std::string error_event(const std::string& message);
  static std::string done_event() { return "data: [DONE]\n\n"; }

  // The body of an answer that is not streamed.
  std::string whole(const std::string& reasoning, const std::string& answer,
                    const char* finish_reason, const UsageCounts& usage) const;

 private:
  bool chat_;
  std::string id_;
  int64_t created_;
  std::string model_;
  std::string head_;  // start of every event, up to the list of choices
};

}  // namespace tokprobe_sim
