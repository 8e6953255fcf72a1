#include "tests/probes/stream/frames.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "probes/base/random.h"

namespace tokprobe {

void PrintTo(const SeenFrame& frame, std::ostream* out) {
  *out << (frame.complete ? "" : "incomplete ") << testing::PrintToString(frame.event) << " "
       << testing::PrintToString(frame.data.substr(0, 200));
}

void SeenFrames::on_frame(const Frame& frame) {
  frames.push_back({std::string(frame.event), std::string(frame.data), frame.complete});
  times.push_back(frame.at);
}

std::vector<SeenFrame> frames_of(const std::vector<std::string_view>& reads) {
  SseFramer framer;
  SeenFrames seen;
  for (const std::string_view bytes : reads) {
    // A copy of exact size: reading beyond a read is then seen by a sanitizer.
    const std::vector<char> exact(bytes.begin(), bytes.end());
    if (!framer.feed({exact.data(), exact.size()}, Time{}, seen)) {
      seen.frames.push_back({"refused", "", false});
      return seen.frames;
    }
  }
  framer.finish(Time{}, seen);
  return seen.frames;
}

std::vector<std::string_view> cut(std::string_view bytes, std::uint64_t seed, std::size_t longest) {
  Random random(seed);
  std::vector<std::string_view> pieces;
  while (!bytes.empty()) {
    const std::size_t n = std::min<std::size_t>(1 + random.below(longest), bytes.size());
    pieces.push_back(bytes.substr(0, n));
    bytes.remove_prefix(n);
  }
  return pieces;
}

}  // namespace tokprobe
