#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "probes/stream/framer.h"

namespace tokprobe {

/// A frame that owns its bytes.
struct SeenFrame {
  std::string event, data;
  bool complete = true;
  bool operator==(const SeenFrame&) const = default;
};
void PrintTo(const SeenFrame& frame, std::ostream* out);

/// Copies the frames it is handed.
class SeenFrames final : public FrameSink {
 public:
  void on_frame(const Frame& frame) override;
  std::vector<SeenFrame> frames;
  std::vector<Time> times;
};

/// What comes out when each piece is one read; ends in a frame "refused" when a limit is passed.
std::vector<SeenFrame> frames_of(const std::vector<std::string_view>& reads);

/// Cuts `bytes` into pieces of 1 to `longest` bytes.
std::vector<std::string_view> cut(std::string_view bytes, std::uint64_t seed, std::size_t longest);

}  // namespace tokprobe
