#include <gmock/gmock.h>

#include "probes/stream/framer.h"
#include "tests/probes/stream/frames.h"

namespace tokprobe {
namespace {

using testing::SizeIs;

constexpr std::size_t kLimit = kMaxFrameBytes;

// Feeds in pieces of 64 KiB; false as soon as the framer says so.
bool feed_all(SseFramer& framer, std::string_view bytes, FrameSink& out) {
  constexpr std::size_t kRead = 64U << 10U;
  while (!bytes.empty()) {
    if (!framer.feed(bytes.substr(0, kRead), Time{}, out)) return false;
    bytes.remove_prefix(std::min(kRead, bytes.size()));
  }
  return true;
}

std::string data_line(std::size_t length) {
  std::string line = "data:";
  line.resize(length, 'x');
  return line;
}

TEST(FrameLimit, IsEightMebibytes) {
  EXPECT_EQ(kMaxFrameBytes, 8U * 1024 * 1024);
  EXPECT_EQ(kMaxBodyBytes, 64U * 1024 * 1024);
}

TEST(FrameLimit, LetsTheLongestLinePass) {
  for (const bool whole : {true, false}) {
    SseFramer framer;
    SeenFrames seen;
    const std::string bytes = data_line(kLimit) + "\n\n";
    EXPECT_TRUE(whole ? framer.feed(bytes, Time{}, seen) : feed_all(framer, bytes, seen));
    ASSERT_THAT(seen.frames, SizeIs(1));
    EXPECT_EQ(seen.frames[0].data.size(), kLimit - 5);
  }
}

TEST(FrameLimit, RefusesALongerLine) {
  for (const bool whole : {true, false}) {
    SseFramer framer;
    SeenFrames seen;
    const std::string bytes = data_line(kLimit + 1) + "\n\n";
    EXPECT_FALSE(whole ? framer.feed(bytes, Time{}, seen) : feed_all(framer, bytes, seen));
    EXPECT_THAT(seen.frames, SizeIs(0));
  }
}

TEST(FrameLimit, RefusesALineThatNeverEnds) {
  SseFramer framer;
  SeenFrames seen;
  EXPECT_FALSE(feed_all(framer, data_line(kLimit + 1), seen));
}

TEST(FrameLimit, CountsCommentsLikeOtherLines) {
  SseFramer framer;
  SeenFrames seen;
  EXPECT_FALSE(feed_all(framer, ":" + std::string(kLimit, 'x'), seen));
}

TEST(FrameLimit, LetsTheLongestJoinedEventPass) {
  SseFramer framer;
  SeenFrames seen;
  // Two values of half the limit, one of them shorter by the line feed between them.
  const std::string bytes =
      data_line(5 + kLimit / 2) + "\n" + data_line(5 + kLimit / 2 - 1) + "\n\n";
  EXPECT_TRUE(feed_all(framer, bytes, seen));
  ASSERT_THAT(seen.frames, SizeIs(1));
  EXPECT_EQ(seen.frames[0].data.size(), kLimit);
}

TEST(FrameLimit, RefusesALongerJoinedEvent) {
  SseFramer framer;
  SeenFrames seen;
  const std::string bytes = data_line(5 + kLimit / 2) + "\n" + data_line(5 + kLimit / 2) + "\n\n";
  EXPECT_FALSE(feed_all(framer, bytes, seen));
  EXPECT_THAT(seen.frames, SizeIs(0));
}

TEST(FrameLimit, RefusesAnEventOfEndlessEmptyLines) {
  SseFramer framer;
  SeenFrames seen;
  std::string lines;
  for (int i = 0; i < 10'000; ++i) lines += "data\n";
  bool fits = true;
  std::size_t fed = 0;
  for (; fits && fed < 2 * kLimit; fed += 10'000) fits = framer.feed(lines, Time{}, seen);
  EXPECT_FALSE(fits);
}

TEST(FrameLimit, HoldsForTheEventAndNotForTheStream) {
  SseFramer framer;
  SeenFrames seen;
  const std::string event = data_line(1U << 20U) + "\n\n";
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(framer.feed(event, Time{}, seen));
  EXPECT_THAT(seen.frames, SizeIs(20));
}

TEST(FrameLimit, HoldsForADocument) {
  BodyFramer framer;
  EXPECT_TRUE(framer.feed(std::string(kLimit, 'x')));
  EXPECT_FALSE(framer.feed("x"));
}

// Reads the padding: a sanitizer sees it when it does not belong to the buffer.
class PaddingReader final : public FrameSink {
 public:
  void on_frame(const Frame& frame) override {
    const volatile char* after = frame.data.data() + frame.data.size();
    for (std::size_t i = 0; i < kFramePadding; ++i) sum += static_cast<unsigned>(after[i]);
    ++frames;
  }
  unsigned sum = 0;
  int frames = 0;
};

TEST(FramePadding, IsReadableBehindEverySizeOfFrame) {
  PaddingReader reader;
  for (std::size_t size = 1; size < 300; ++size) {
    const std::string value(size, 'x');
    SseFramer one;
    one.feed("data: " + value + "\n\n", Time{}, reader);
    SseFramer joined;
    joined.feed("data: " + value + "\ndata: " + value + "\n\n", Time{}, reader);
    SseFramer cut;
    cut.feed("data: " + value, Time{}, reader);
    cut.finish(Time{}, reader);
    SseFramer pieces;
    for (const char c : "data: " + value + "\n\n") pieces.feed({&c, 1}, Time{}, reader);
    BodyFramer body;
    body.feed(value);
    body.finish(Time{}, reader);
  }
  EXPECT_EQ(reader.frames, 299 * 5);
}

}  // namespace
}  // namespace tokprobe
