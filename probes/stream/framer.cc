#include "probes/stream/framer.h"

#include <algorithm>
#include <cstring>

namespace tokprobe {
namespace {

constexpr std::string_view kBom = "\xEF\xBB\xBF";

// First CR or LF at or after `from`, or npos. Two memchr are faster than one search for either.
std::size_t find_line_end(std::string_view text, std::size_t from) {
  const std::size_t lf = text.find('\n', from);
  const std::size_t cr = text.substr(0, std::min(lf, text.size())).find('\r', from);
  return std::min(lf, cr);
}

}  // namespace

bool SseFramer::feed(std::string_view bytes, Time at, FrameSink& out) {
  buffer_.append(bytes);
  buffer_.reserve(buffer_.size() + kFramePadding);
  if (!started_) skip_bom();
  if (started_ && !take_lines(at, out)) return false;
  if (buffer_.size() - line_begin_ > kMaxFrameBytes) return false;
  // Keep only the unfinished line; a data line that waits for its event's end moves out of the way.
  if (data_lines_ == 1 && !joined_used_) join();
  buffer_.erase(0, line_begin_);
  scanned_ -= line_begin_;
  line_begin_ = 0;
  return true;
}

void SseFramer::skip_bom() {
  if (buffer_.size() < kBom.size() && kBom.starts_with(buffer_)) return;  // wait for more
  if (buffer_.starts_with(kBom)) buffer_.erase(0, kBom.size());
  started_ = true;
}

bool SseFramer::take_lines(Time at, FrameSink& out) {
  for (;;) {
    if (skip_lf_ && line_begin_ < buffer_.size()) {
      if (buffer_[line_begin_] == '\n') scanned_ = ++line_begin_;
      skip_lf_ = false;
    }
    const std::size_t end = find_line_end(buffer_, scanned_);
    if (end == std::string::npos) {
      scanned_ = buffer_.size();
      return true;
    }
    skip_lf_ = buffer_[end] == '\r';
    const std::size_t begin = line_begin_;
    line_begin_ = scanned_ = end + 1;
    if (!line(begin, end, at, out)) return false;
  }
}

bool SseFramer::line(std::size_t begin, std::size_t end, Time at, FrameSink& out) {
  if (begin == end) {
    dispatch(at, true, out);
    return true;
  }
  if (end - begin > kMaxFrameBytes) return false;
  const std::string_view text = std::string_view(buffer_).substr(begin, end - begin);
  if (text.front() == '{') {
    data_line(begin, end);
    return joined_.size() <= kMaxFrameBytes;
  }
  const std::size_t colon = std::min(text.find(':'), text.size());
  if (colon == 0) return true;  // a comment
  std::size_t value = begin + std::min(colon + 1, text.size());
  if (value < end && buffer_[value] == ' ') ++value;
  const std::string_view field = text.substr(0, colon);
  if (field == "data") {
    data_line(value, end);
  } else if (field == "event") {
    event_.assign(buffer_, value, end - value);
  } else if (field == "error") {
    event_ = "error";
    data_line(value, end);
  }
  return joined_.size() <= kMaxFrameBytes;
}

void SseFramer::data_line(std::size_t begin, std::size_t end) {
  if (++data_lines_ == 1) {
    data_begin_ = begin;
    data_end_ = end;
    return;
  }
  if (!joined_used_) join();
  joined_ += '\n';
  joined_.append(buffer_, begin, end - begin);
}

void SseFramer::join() {
  joined_.assign(buffer_, data_begin_, data_end_ - data_begin_);
  joined_used_ = true;
}

void SseFramer::dispatch(Time at, bool complete, FrameSink& out) {
  std::string_view data;
  if (joined_used_) {
    joined_.reserve(joined_.size() + kFramePadding);
    data = joined_;
  } else if (data_lines_ == 1) {
    data = std::string_view(buffer_).substr(data_begin_, data_end_ - data_begin_);
  }
  if (!data.empty() || event_ == "error") out.on_frame(Frame{event_, data, at, complete});
  data_lines_ = 0;
  joined_used_ = false;
  joined_.clear();
  event_.clear();
}

void SseFramer::finish(Time at, FrameSink& out) {
  if (!started_) started_ = true;
  const bool cut = line_begin_ < buffer_.size();
  if (cut) {
    const std::size_t begin = line_begin_;
    line_begin_ = buffer_.size();
    line(begin, buffer_.size(), at, out);
  }
  dispatch(at, !cut, out);
  buffer_.clear();
  line_begin_ = scanned_ = 0;
}

bool BodyFramer::feed(std::string_view bytes) {
  buffer_.append(bytes);
  return buffer_.size() <= kMaxFrameBytes;
}

void BodyFramer::finish(Time at, FrameSink& out) {
  buffer_.reserve(buffer_.size() + kFramePadding);
  out.on_frame(Frame{{}, buffer_, at, true});
  buffer_.clear();
}

}  // namespace tokprobe
