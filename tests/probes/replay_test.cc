#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "tests/probes/dialects/parsed.h"
#include "tests/probes/replay_case.h"
#include "tests/probes/stream/frames.h"

namespace tokprobe {

// For gtest's listings, which know nothing of a case but its name.
void PrintTo(const ReplayCase& c, std::ostream* out) { *out << c.name; }

namespace {

class Replay : public testing::TestWithParam<ReplayCase> {};

std::string name_of(const testing::TestParamInfo<ReplayCase>& info) {
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

TEST_P(Replay, IsSeenAsExpected) {
  const ReplayCase& c = GetParam();
  const ProbeResult result = play(c.script, c.asked);
  const nlohmann::json facts = facts_of(result);
  ASSERT_TRUE(c.expect.contains("reason"));
  ASSERT_TRUE(!result.ok() || c.expect.contains("warnings")) << "say which warnings there are";
  const nlohmann::json expected = in_nanoseconds(c.expect);
  for (const auto& [key, value] : expected.items()) {
    ASSERT_TRUE(facts.contains(key)) << key << " is no key of the document";
    EXPECT_EQ(facts[key], value) << key;
  }
}

TEST_P(Replay, GivesAConsistentResult) {
  const ProbeResult r = play(GetParam().script, GetParam().asked);
  EXPECT_EQ(r.ok(), r.detail.empty());
  EXPECT_EQ(r.timing.output_tokens == 0, r.timing.token_source == TokenSource::kNone);
  EXPECT_EQ(r.timing.ttft.has_value(), !r.arrivals.empty());
  EXPECT_TRUE(r.ok() || r.warnings.none());
  EXPECT_LE(r.detail.size(), 310U);
  if (r.timing.ttft) {
    EXPECT_EQ(sum_of(r.phases), *r.duration);
    EXPECT_LE(*r.timing.ttft, *r.timing.last_token);
  }
}

// The events of a stream with the stamps taken off.
std::vector<std::string> events_of(const std::vector<std::string_view>& reads,
                                   std::string_view api) {
  const auto parser = find_dialect(api)->make_parser();
  std::vector<std::string> events;
  for (const SeenFrame& frame : frames_of(reads)) {
    const auto of_frame = parsed(frame.data, *parser, frame.event);
    events.insert(events.end(), of_frame.begin(), of_frame.end());
    events.push_back(frame.complete ? "." : "cut off");
  }
  return events;
}

TEST_P(Replay, GivesTheSameEventsHoweverItIsCut) {
  const ReplayCase& c = GetParam();
  std::string body;
  for (const Script::Read& read : c.script.reads) body += read.bytes;
  const auto whole = events_of({body}, c.asked.api);
  const auto bytes = cut(body, 0, 1);
  EXPECT_TRUE(events_of(bytes, c.asked.api) == whole) << "byte by byte";
  for (std::uint64_t seed = 0; seed < 20 && body.size() < 1'000'000; ++seed) {
    const std::size_t longest = std::array<std::size_t, 4>{2, 7, 60, 900}[seed % 4];
    EXPECT_TRUE(events_of(cut(body, seed, longest), c.asked.api) == whole) << "cutting " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Case, Replay, testing::ValuesIn(replay_cases()), name_of);

}  // namespace
}  // namespace tokprobe
