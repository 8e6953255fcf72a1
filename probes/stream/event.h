#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace tokprobe {

/// The vocabulary to which every server is reduced. Views are valid until the next frame is parsed.

enum class Channel { kAnswer, kReasoning, kTool };

/// Generated text, never empty.
struct TokenDelta {
  Channel channel = Channel::kAnswer;
  std::string_view text;
};

/// The server's token figures: running totals, so a later one replaces an earlier one.
/// Absent means that the server did not say.
struct Usage {
  std::optional<std::int64_t> prompt, output, cached, reasoning;
  bool native = false;  ///< from a server's own counters instead of a usage object
};

/// Why the server stopped, in its word.
struct Finish {
  std::string_view reason;
};

/// An error object inside the response.
struct ServerError {
  std::string message;
};

/// The dialect's end mark.
struct Terminal {};

/// A frame that is not what the dialect says it must be.
struct BadFrame {
  std::string message;
};

using StreamEvent = std::variant<TokenDelta, Usage, Finish, ServerError, Terminal, BadFrame>;

}  // namespace tokprobe
