#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probes/dialects/dialect.h"

namespace tokprobe {

/// An event in words: "answer:hi", "usage:PROMPT/OUTPUT/CACHED/REASONING" with "-" for what was not
/// said, "finish:stop", "error:..", "bad:..", "end".
std::string described(const StreamEvent& event);
std::vector<std::string> described(const std::vector<StreamEvent>& events);

/// The events of one frame, by the parser or by a new one of openai-chat.
std::vector<std::string> parsed(std::string_view data, StreamParser& parser,
                                std::string_view event = "");
std::vector<std::string> parsed(std::string_view data, std::string_view event = "");
/// The events of a body that is one document.
std::vector<std::string> document(std::string_view data);

}  // namespace tokprobe
