#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probes/stream/event.h"
#include "probes/stream/framer.h"

namespace tokprobe {

/// What is asked of a server, whatever it speaks.
struct Generation {
  std::string model;  ///< empty: the field is not sent
  std::string prompt;
  int max_tokens = 16;
  bool ignore_eos = false;  ///< go on to max_tokens, so that the length is known
};

/// Turns the frames of one response into events. One object a response; not thread-safe.
class StreamParser {
 public:
  virtual ~StreamParser() = default;
  /// Appends the frame's events to `out`. A frame that cannot be read gives a BadFrame.
  virtual void parse(const Frame& frame, std::vector<StreamEvent>& out) = 0;
  /// The same for a body that is one document instead of a stream.
  virtual void parse_document(const Frame& body, std::vector<StreamEvent>& out) = 0;
};

/// A way to speak to a server: a table row. Stateless; no I/O, no clock, no counting.
struct Dialect {
  std::string_view name;  ///< the value of --api and api:
  std::string_view path;  ///< appended to the target's URL
  std::string_view help;
  std::string (*make_body)(const Generation&);  ///< the JSON body of a streaming request
  std::unique_ptr<StreamParser> (*make_parser)();
};

/// Every dialect, the most common first.
std::span<const Dialect> all_dialects();
/// nullptr when there is none of that name.
const Dialect* find_dialect(std::string_view name);

/// The message in an error body, whichever of the known shapes it has; else the text itself.
/// Always printable, at most 300 bytes and an ellipsis.
std::string error_text(std::string_view body);

}  // namespace tokprobe
