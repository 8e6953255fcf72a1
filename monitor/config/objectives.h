#pragma once

#include <array>
#include <string_view>

namespace tokprobe {

/// How the threshold of an objective is written. In structs it is seconds, a number, or 0 to 1.
enum class ObjectiveUnit { kDuration, kRate, kRatio };

struct ObjectiveRow {
  std::string_view key;
  ObjectiveUnit unit;
  bool more_is_better;  ///< the threshold is a lower bound
  std::string_view help;
};

/// What `objectives:` of a probe may name; also the values of the `objective` label.
inline constexpr std::array<ObjectiveRow, 6> kObjectives{{
    {"time_to_first_token", ObjectiveUnit::kDuration, false,
     "a request must bring its first token within this time"},
    {"time_to_first_answer", ObjectiveUnit::kDuration, false,
     "likewise its first token of the answer, after any reasoning"},
    {"time_per_output_token", ObjectiveUnit::kDuration, false,
     "the mean time between the tokens of a request must be at most this"},
    {"request_duration", ObjectiveUnit::kDuration, false,
     "a request must be complete within this time"},
    {"request_tokens_per_second", ObjectiveUnit::kRate, true,
     "a request must be decoded at this speed at least"},
    {"availability", ObjectiveUnit::kRatio, true,
     "this share of the requests must succeed; 0.995 allows 5 failures in 1000"},
}};

constexpr const ObjectiveRow* find_objective(std::string_view key) {
  for (const ObjectiveRow& row : kObjectives) {
    if (row.key == key) return &row;
  }
  return nullptr;
}

}  // namespace tokprobe
