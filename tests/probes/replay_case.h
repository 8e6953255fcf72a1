#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/probes/harness.h"

namespace tokprobe {

/// A file of tests/data/replay: how a server behaves and what a probe must find. Its keys:
///
///   what      a sentence: the behaviour, and what is right about the answer
///   api       a dialect; "openai-chat" when absent
///   asked     input_tokens, output_tokens; connect, first_token, stall, total ("2s")
///   response  dns_ms, connect_ms, tls_ms; status, headers, head_at_ms; reads: [{at_ms, then text,
///             or base64, or text + repeat {text, times} + after}]; end ("complete" when absent,
///             or "dns", "connect", "tls", "reset", "truncated", "protocol", "hang"), end_at_ms,
///             detail. Times count from the sending of the request.
///   expect    keys of `tokprobe probe --format json`, and no others; seconds are exact to the
///             nanosecond; `warnings` must be there when the request is ok
struct ReplayCase {
  std::string name;
  Script script;
  Asked asked;
  nlohmann::json expect;
};

/// Every case, by name. Throws std::runtime_error with the name of a file that cannot be read.
std::vector<ReplayCase> replay_cases();

/// The result with the keys of the document, durations in whole nanoseconds.
nlohmann::json facts_of(const ProbeResult& result);
/// What a case expects, made comparable to facts_of.
nlohmann::json in_nanoseconds(const nlohmann::json& expect);

}  // namespace tokprobe
