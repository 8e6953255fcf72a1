#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>

namespace tokprobe {

/// What is judged of a run. The label values of tokprobe_speed_ratio{measure}.
enum class Judged : std::size_t { kThroughput, kTtft, kTpot };
struct JudgedRow {
  std::string_view label;     ///< in metrics
  std::string_view measure;   ///< its row in all_measures(), whose figure of a run is judged
  std::string_view expected;  ///< metric of what is expected, without the prefix
  bool more_is_better;
};
inline constexpr std::array<JudgedRow, 3> kJudged{{
    {"throughput", "output_tokens_per_second", "expected_output_tokens_per_second", true},
    {"ttft", "ttft_seconds", "expected_time_to_first_token_seconds", false},
    {"tpot", "tpot_seconds", "expected_time_per_output_token_seconds", false},
}};

/// One value for each row of kJudged; NaN where it is unknown.
using Figures = std::array<float, kJudged.size()>;
inline constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
inline constexpr Figures kNoFigures{kUnknown, kUnknown, kUnknown};

/// One run as the judge sees it: 32 bytes, since weeks of them are kept.
struct Sample {
  double time = 0;           ///< when it began, Unix seconds
  float running = kUnknown;  ///< load of the server just before; NaN when it does not say
  float waiting = kUnknown;
  Figures figures = kNoFigures;

  bool load_known() const { return !std::isnan(running); }
  bool saturated() const { return waiting > 0; }
};

}  // namespace tokprobe
