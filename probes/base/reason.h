#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace tokprobe {

/// How a request ended. A closed set: its labels are the values of the `reason` label.
enum class Reason {
  kOk,
  kDns,
  kConnect,
  kTls,
  kTimeoutConnect,
  kTimeoutFirstToken,
  kTimeoutStall,
  kTimeoutTotal,
  kUnauthorized,
  kRateLimited,
  kHttp4xx,
  kHttp5xx,
  kHttpOther,
  kConnectionReset,
  kTruncated,
  kProtocolError,
  kBadPayload,
  kStreamError,
  kEmptyOutput,
  kAborted,
  kContentFilter,
  kCancelled,
  kInternal,
};

/// One row a reason. `server_fault`: counts against the server's error budget.
struct ReasonRow {
  Reason reason;
  std::string_view label;
  std::string_view meaning;
  bool server_fault;
};

inline constexpr std::array<ReasonRow, 23> kReasons{{
    {Reason::kOk, "ok", "answered in full", false},
    {Reason::kDns, "dns", "the name did not resolve, or not in time", true},
    {Reason::kConnect, "connect", "no connection: refused or unreachable", true},
    {Reason::kTls, "tls", "the TLS handshake or the certificate failed", true},
    {Reason::kTimeoutConnect, "timeout_connect", "no connection within the connect time-out", true},
    {Reason::kTimeoutFirstToken, "timeout_first_token", "connected, but no token in time", true},
    {Reason::kTimeoutStall, "timeout_stall", "the stream fell silent after it had begun", true},
    {Reason::kTimeoutTotal, "timeout_total", "the whole request took too long", true},
    {Reason::kUnauthorized, "unauthorized", "HTTP 401 or 403: check the API key", false},
    {Reason::kRateLimited, "rate_limited", "HTTP 429", false},
    {Reason::kHttp4xx, "http_4xx", "another 4xx status: the request was refused", false},
    {Reason::kHttp5xx, "http_5xx", "a 5xx status", true},
    {Reason::kHttpOther, "http_other", "another status, such as 204 or a redirect", true},
    {Reason::kConnectionReset, "connection_reset", "the connection was cut", true},
    {Reason::kTruncated, "truncated", "the stream ended without its end mark", true},
    {Reason::kProtocolError, "protocol_error", "not valid HTTP, or beyond a size limit", true},
    {Reason::kBadPayload, "bad_payload", "an event or body that is not JSON", true},
    {Reason::kStreamError, "stream_error", "an error object inside a successful response", true},
    {Reason::kEmptyOutput, "empty_output", "a complete response without any text", true},
    {Reason::kAborted, "aborted", "the server aborted the generation", true},
    {Reason::kContentFilter, "content_filter", "a filter blocked the answer", true},
    {Reason::kCancelled, "cancelled", "we stopped: in no count", false},
    {Reason::kInternal, "internal", "a fault of tokprobe or its machine", false},
}};
inline constexpr std::size_t kReasonCount = kReasons.size();

constexpr const ReasonRow& row(Reason reason) { return kReasons[static_cast<std::size_t>(reason)]; }
constexpr std::string_view label(Reason reason) { return row(reason).label; }
/// A reason that stands in the failure counters: neither `ok` nor `cancelled`.
constexpr bool is_failure(Reason reason) {
  return reason != Reason::kOk && reason != Reason::kCancelled;
}

/// Remarks on a request that still counts as it is. The values of the `warning` label.
enum class Warning {
  kNotStreamed,
  kBurst,
  kMissingDone,
  kMissingFinishReason,
  kNoAnswer,
  kShortOutput,
  kLongOutput,
  kUsageMissing,
  kUsageMismatch,
  kPromptLength,
  kPromptCached,
  kClientLimited,
};

struct WarningRow {
  Warning warning;
  std::string_view label;
  std::string_view meaning;
};

inline constexpr std::array<WarningRow, 12> kWarnings{{
    {Warning::kNotStreamed, "not_streamed",
     "the answer came in one piece: no times but the duration"},
    {Warning::kBurst, "burst", "the text came at one instant, or most gaps are near zero"},
    {Warning::kMissingDone, "missing_done", "a finish reason, but no end marker"},
    {Warning::kMissingFinishReason, "missing_finish_reason", "an end marker, but no finish reason"},
    {Warning::kNoAnswer, "no_answer", "only reasoning came"},
    {Warning::kShortOutput, "short_output", "fewer than half of 256 or more tokens asked"},
    {Warning::kLongOutput, "long_output", "more tokens than asked"},
    {Warning::kUsageMissing, "usage_missing", "no token figures: text events were counted"},
    {Warning::kUsageMismatch, "usage_mismatch", "more text events than the tokens reported"},
    {Warning::kPromptLength, "prompt_length", "the prompt is over 10 % off the asked length"},
    {Warning::kPromptCached, "prompt_cached", "the server took part of the prompt from a cache"},
    {Warning::kClientLimited, "client_limited", "our own lag makes the figures doubtful"},
}};
inline constexpr std::size_t kWarningCount = kWarnings.size();

constexpr std::string_view label(Warning warning) {
  return kWarnings[static_cast<std::size_t>(warning)].label;
}

}  // namespace tokprobe
