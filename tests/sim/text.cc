#include "tests/sim/text.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "tests/sim/chance.h"

namespace tokprobe_sim {
namespace {

constexpr uint64_t kDrawText = 1ULL << 40;
constexpr uint64_t kHealthyBeforeLoop = 24;
constexpr std::string_view kLoopSentence =
    "The system then checks the result and returns it to the caller.";

constexpr std::array<std::string_view, 36> kNouns = {
    "harbour",   "library", "engineer", "river",    "market",  "teacher", "garden",    "station",
    "orchestra", "village", "captain",  "museum",   "forest",  "journal", "workshop",  "bridge",
    "surgeon",   "lantern", "valley",   "archive",  "painter", "railway", "scientist", "kitchen",
    "mountain",  "lawyer",  "theatre",  "island",   "baker",   "factory", "sailor",    "meadow",
    "printer",   "castle",  "farmer",   "telescope"};
constexpr std::array<std::string_view, 36> kAdjectives = {
    "quiet",    "ancient", "careful",   "bright",  "narrow",   "patient", "famous",   "distant",
    "modern",   "gentle",  "crowded",   "curious", "reliable", "wooden",  "coastal",  "generous",
    "hidden",   "local",   "practical", "early",   "broad",    "elegant", "ordinary", "sudden",
    "careless", "warm",    "northern",  "silent",  "useful",   "complex", "young",    "cheerful",
    "remote",   "simple",  "heavy",     "honest"};
constexpr std::array<std::string_view, 36> kVerbs = {
    "describes", "repairs", "follows",  "measures", "welcomes",  "improves", "questions", "visits",
    "protects",  "records", "explains", "supports", "discovers", "borrows",  "remembers", "paints",
    "compares",  "studies", "changes",  "crosses",  "admires",   "examines", "replaces",  "invites",
    "observes",  "carries", "designs",  "collects", "reaches",   "teaches",  "restores",  "watches",
    "surprises", "guides",  "joins",    "notices"};
constexpr std::array<std::string_view, 24> kOpenings = {
    "Meanwhile,", "In spring,",  "However,",      "After lunch,", "For years,",   "Sometimes",
    "At dawn,",   "Of course,",  "In practice,",  "Since then,",  "On Sundays,",  "Nearby,",
    "As a rule,", "Later,",      "By contrast,",  "Before long,", "In the end,",  "Every winter,",
    "Today,",     "In general,", "Unexpectedly,", "Around noon,", "For example,", "Last month,"};
constexpr std::array<std::string_view, 24> kEndings = {
    "without any hurry",      "near the old gate",    "for a small fee",    "during the festival",
    "with great care",        "beyond the hill",      "because it rained",  "on a clear evening",
    "despite several delays", "in front of visitors", "against all advice", "under new rules",
    "between two meetings",   "from memory alone",    "after long debate",  "while others sleep",
    "at half price",          "before sunset",        "by pure accident",   "within three days",
    "as agreed earlier",      "whenever possible",    "across the square",  "if time allows"};

class Chooser {
 public:
  Chooser(uint64_t seed, uint64_t id, uint64_t& draws) : seed_(seed), id_(id), draws_(draws) {}

  size_t below(size_t n) {
    return static_cast<size_t>(chance(seed_, id_, kDrawText + draws_++) * static_cast<double>(n));
  }
  template <size_t N>
  std::string_view of(const std::array<std::string_view, N>& words) {
    return words[below(N)];
  }

 private:
  uint64_t seed_;
  uint64_t id_;
  uint64_t& draws_;
};

std::string make_sentence(Chooser choose) {
  const size_t form = choose.below(4);
  std::string text;
  text += form % 2 == 0 ? std::string(choose.of(kOpenings)) + " the " : "The ";
  for (const std::string_view word : {choose.of(kAdjectives), choose.of(kNouns)}) {
    text.append(word).append(" ");
  }
  text.append(choose.of(kVerbs)).append(form < 2 ? " a " : " another ");
  text.append(choose.of(kAdjectives)).append(" ").append(choose.of(kNouns));
  if (form != 1) text.append(" ").append(choose.of(kEndings));
  return text + ".";
}

}  // namespace

std::string TextSource::next() {
  const bool first = count_++ == 0;
  if (mode_ == TextMode::kExclamation) return "!";
  std::string word = healthy_word();
  return first ? word : " " + word;
}

std::string TextSource::healthy_word() {
  if (position_ >= sentence_.size()) {
    position_ = 0;
    sentence_ = mode_ == TextMode::kLoop && count_ > kHealthyBeforeLoop
                    ? std::string(kLoopSentence)
                    : make_sentence(Chooser(seed_, id_, draws_));
  }
  const size_t end = std::min(sentence_.find(' ', position_), sentence_.size());
  std::string word = sentence_.substr(position_, end - position_);
  position_ = end + 1;
  return word;
}

}  // namespace tokprobe_sim
