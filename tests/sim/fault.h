#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace tokprobe_sim {

enum class FaultKind { kStatus, kReset, kTruncate, kStall, kNever, kError, kBuffered, kSlow };

// One way to go wrong. JSON: {"kind": "status", "status": 503, "retry_after": 5, "probability":
// 0.2, "count": 3, "after_tokens": 10, "seconds": 2}; only `kind` is required.
struct Fault {
  FaultKind kind = FaultKind::kStatus;
  int status = 500;                // status: the HTTP status
  std::optional<int> retry_after;  // status: a Retry-After header, s
  int after_tokens = 0;            // reset, truncate, stall, error: tokens that come before it
  double seconds = 1;              // slow: added to the time to first token
  double probability = 1;          // that a request is hit
  std::optional<int> count;        // requests still to be hit; absent: no end
};

const char* name_of(FaultKind kind);

// Both return the problem, or "" and the fault in `out`.
std::string parse_fault(const nlohmann::json& json, Fault& out);
// "reset,after_tokens=5,count=1": the kind, then the JSON's other keys.
std::string parse_fault(const std::string& text, Fault& out);
nlohmann::json to_json(const Fault& fault);

}  // namespace tokprobe_sim
