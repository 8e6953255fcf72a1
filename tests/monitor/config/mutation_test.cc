#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "files.h"
#include "monitor/config/cost.h"
#include "monitor/config/dump.h"
#include "probes/base/random.h"
#include "probes/base/text.h"

namespace tokprobe {
namespace {

constexpr std::string_view kPieces[] = {"\n",   "  ",
                                        "\t",   ": ",
                                        "- ",   "[",
                                        "]",    "{",
                                        "}",    "\"",
                                        "'",    "#",
                                        "&a ",  "*a",
                                        "!!x ", "|",
                                        ">",    "~",
                                        "null", "010",
                                        "-1",   "1e999",
                                        "---",  "...",
                                        "%",    "?",
                                        "<<: ", ",",
                                        "${A}", "${",
                                        "$$",   "\\x",
                                        "\xFF", "\r",
                                        "\x04", "\xC3",
                                        "true", "99999999999999999999",
                                        "inf",  "targets",
                                        "name", "\xE2\x80\xA8"};

// One or more small damages: pieces put in, parts cut out, doubled or exchanged.
std::string mutated(std::string text, Random& random) {
  for (std::uint64_t n = 1 + random.below(4); n > 0; --n) {
    const std::size_t at = random.below(text.size() + 1);
    const std::size_t length = std::min<std::size_t>(random.below(12), text.size() - at);
    switch (random.below(4)) {
      case 0:
        text.insert(at, kPieces[random.below(std::size(kPieces))]);
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      default:
        text.replace(at, length, kPieces[random.below(std::size(kPieces))]);
    }
  }
  return text;
}

// Whatever stands in a file: an answer, in order and printable; and what is accepted survives its
// own dump.
void check(const std::string& text) {
  const LoadResult result = load_config(text, "f.yml", environment_of({{"A", "1"}}));
  EXPECT_EQ(result.config.has_value(), result.problems.empty());
  EXPECT_TRUE(std::is_sorted(result.problems.begin(), result.problems.end(),
                             [](const Problem& a, const Problem& b) { return a.mark < b.mark; }));
  EXPECT_TRUE(is_utf8(result.report()));
  if (!result.config) return;
  const std::string dump = dump_config(*result.config);
  const LoadResult again = load(dump);
  ASSERT_TRUE(again.config.has_value()) << again.report() << dump;
  EXPECT_EQ(dump_config(*again.config), dump);
  EXPECT_FALSE(render_cost(estimate_cost(*result.config, {})).empty());
}

TEST(Mutations, NeverBringAnythingButAnAnswer) {
  Random random(20240501);
  std::vector<std::string> seeds;
  for (const auto& path : files_in("tests/data/config", ".yml")) seeds.push_back(read_file(path));
  for (const auto& path : files_in("config", ".yml")) seeds.push_back(read_file(path));
  for (int i = 0; i < 6'000 && !testing::Test::HasFailure(); ++i) {
    const std::string text = mutated(seeds[random.below(seeds.size())], random);
    SCOPED_TRACE(text);
    check(text);
  }
}

}  // namespace
}  // namespace tokprobe
