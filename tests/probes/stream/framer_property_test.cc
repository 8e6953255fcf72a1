#include <gmock/gmock.h>

#include <array>

#include "probes/base/random.h"
#include "tests/probes/stream/frames.h"

namespace tokprobe {
namespace {

// Pieces that make streams likely to be nasty.
constexpr std::array<std::string_view, 24> kPieces{
    "data: ", "data:",   "data",         "\n",       "\r",           "\r\n",     "\n\n",
    "\r\r",   "event: ", "event: error", "error: x", ": ",           ":",        "id: 1",
    " ",      "x",       "{}",           "[DONE]",   "\xEF\xBB\xBF", "\xEF\xBB", "\xC3\xA9",
    "retry:", "a:b",     "data: y\n\n"};

std::string random_stream(std::uint64_t seed) {
  Random random(seed);
  std::string stream;
  if (random.below(4) == 0) stream = "\xEF\xBB\xBF";
  const std::uint64_t pieces = random.below(60);
  const std::uint64_t bytes_in_hundred = random.below(50);
  for (std::uint64_t i = 0; i < pieces; ++i) {
    if (random.below(100) < bytes_in_hundred) {
      stream += static_cast<char>(random.below(256));
    } else {
      stream += kPieces[random.below(kPieces.size())];
    }
  }
  return stream;
}

std::vector<std::string_view> bytes_of(std::string_view stream) { return cut(stream, 0, 1); }

// The WHATWG's rules in the plainest form, over the whole stream at once: an oracle that shares
// nothing with the framer.
std::vector<SeenFrame> oracle(std::string_view s) {
  if (s.substr(0, 3) == "\xEF\xBB\xBF") s.remove_prefix(3);
  std::vector<SeenFrame> frames;
  std::string event;
  std::vector<std::string> data;
  const auto dispatch = [&](bool complete) {
    std::string joined;
    for (std::size_t i = 0; i < data.size(); ++i) joined += (i > 0 ? "\n" : "") + data[i];
    if (!joined.empty() || event == "error") frames.push_back({event, joined, complete});
    event.clear();
    data.clear();
  };
  while (!s.empty()) {
    std::size_t end = 0;
    while (end < s.size() && s[end] != '\r' && s[end] != '\n') ++end;
    const bool cut_off = end == s.size();
    const std::string line(s.substr(0, end));
    const bool crlf = s.substr(end, 2) == "\r\n";
    s.remove_prefix(std::min(s.size(), end + (crlf ? 2 : 1)));
    const bool document = line.substr(0, 1) == "{";
    if (document) data.push_back(line);
    const std::size_t colon = line.find(':');
    const std::string field = document ? "" : line.substr(0, colon);
    std::string value = colon == std::string::npos ? "" : line.substr(colon + 1);
    if (value.substr(0, 1) == " ") value.erase(0, 1);
    if (field == "data" || field == "error") data.push_back(value);
    if (field == "event") event = value;
    if (field == "error") event = "error";
    if (cut_off) {
      dispatch(false);
    } else if (line.empty()) {
      dispatch(true);
    }
  }
  dispatch(true);
  return frames;
}

TEST(SseFramerProperty, AgreesWithThePlainRules) {
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    const std::string stream = random_stream(seed);
    ASSERT_EQ(frames_of({stream}), oracle(stream))
        << "seed " << seed << ": " << testing::PrintToString(stream);
  }
}

TEST(SseFramerProperty, AnyCuttingGivesTheSameFrames) {
  for (std::uint64_t seed = 0; seed < 3'000; ++seed) {
    const std::string stream = random_stream(seed);
    const auto whole = frames_of({stream});
    ASSERT_EQ(frames_of(bytes_of(stream)), whole)
        << "byte by byte, seed " << seed << ": " << testing::PrintToString(stream);
    for (std::uint64_t cutting = 0; cutting < 12; ++cutting) {
      const std::size_t longest = std::array<std::size_t, 4>{2, 4, 9, 40}[cutting % 4];
      ASSERT_EQ(frames_of(cut(stream, seed * 12 + cutting, longest)), whole)
          << "seed " << seed << ", cutting " << cutting << ": " << testing::PrintToString(stream);
    }
  }
}

TEST(SseFramerProperty, AnyTwoReadsGiveTheSameFrames) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::string stream = random_stream(seed);
    const std::string_view view = stream;
    const auto whole = frames_of({view});
    for (std::size_t at = 0; at <= view.size(); ++at) {
      ASSERT_EQ(frames_of({view.substr(0, at), view.substr(at)}), whole)
          << "seed " << seed << ", cut at " << at << ": " << testing::PrintToString(stream);
    }
  }
}

}  // namespace
}  // namespace tokprobe
