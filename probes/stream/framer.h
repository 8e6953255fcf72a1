#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "probes/base/clock.h"

namespace tokprobe {

/// Bytes that may be read (never written) past the end of Frame::data: what simdjson asks for.
inline constexpr std::size_t kFramePadding = 64;
/// Limits; beyond them a response is a protocol error.
inline constexpr std::size_t kMaxFrameBytes = 8U << 20U;
inline constexpr std::size_t kMaxBodyBytes = 64U << 20U;

/// One message of a stream. Views are valid during the call that hands it over.
struct Frame {
  std::string_view event;  ///< SSE event name, or empty
  std::string_view data;   ///< followed by kFramePadding readable bytes
  Time at;                 ///< when the read that completed it returned
  bool complete = true;    ///< false: the body ended before the frame did
};

class FrameSink {
 public:
  virtual ~FrameSink() = default;
  virtual void on_frame(const Frame& frame) = 0;
};

/// Server-sent events, as the WHATWG defines them: LF, CRLF or CR end a line; one space after the
/// colon is dropped; data lines are joined by LF; comments, `id` and `retry` are passed over; a
/// byte order mark at the start is skipped. Events without data are not frames, with one exception:
/// `event: error`, which some servers send alone. A line `error: ..` (old llama.cpp) gives a frame
/// with the event name "error"; a line that begins with a brace is taken as data, since it is an
/// error document under the wrong content type. Any cutting of the same bytes into feeds gives the
/// same frames. Not thread-safe. Memory: at most kMaxFrameBytes and one read.
class SseFramer {
 public:
  /// Takes the next bytes. False when a line or an event is longer than kMaxFrameBytes.
  bool feed(std::string_view bytes, Time at, FrameSink& out);
  /// The body has ended: hands over what is pending, marked incomplete unless its line had ended.
  void finish(Time at, FrameSink& out);

 private:
  void skip_bom();
  bool take_lines(Time at, FrameSink& out);
  bool line(std::size_t begin, std::size_t end, Time at, FrameSink& out);
  void data_line(std::size_t begin, std::size_t end);
  void join();
  void dispatch(Time at, bool complete, FrameSink& out);

  std::string buffer_;
  std::size_t line_begin_ = 0;  ///< where the current line starts in buffer_
  std::size_t scanned_ = 0;     ///< no line end before this place
  bool started_ = false;        ///< the byte order mark has been dealt with
  bool skip_lf_ = false;        ///< the last line ended in CR at the end of a read
  // The pending event: a single data line lies in buffer_ as long as the read lasts; further lines
  // and the end of the read move it to joined_.
  std::size_t data_begin_ = 0, data_end_ = 0;
  int data_lines_ = 0;
  bool joined_used_ = false;
  std::string joined_;
  std::string event_;
};

/// A body that is one document: handed over when it ends.
class BodyFramer {
 public:
  bool feed(std::string_view bytes);
  void finish(Time at, FrameSink& out);

 private:
  std::string buffer_;
};

}  // namespace tokprobe
