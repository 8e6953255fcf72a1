#pragma once

#include <memory>
#include <string>

#include "probes/dialects/dialect.h"

namespace tokprobe {

/// OpenAI's chat completions and text completions, as vLLM, SGLang, llama.cpp, TGI, Ollama and
/// gateways speak them. Both read the same events: usage wherever it stands (the last figure that
/// is not zero wins), `choices` that may be empty, reasoning under either of its names (both filled
/// with the same text count once), errors as object or text in any event.

std::string openai_chat_body(const Generation& generation);
std::string openai_completions_body(const Generation& generation);
std::unique_ptr<StreamParser> make_openai_parser();

}  // namespace tokprobe
