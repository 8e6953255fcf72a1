#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "monitor/judge/judge.h"
#include "probes/base/result.h"

namespace tokprobe {

/// The memories of a target's series, by {probe, concurrency}.
using SeriesKey = std::pair<std::string, int>;
using JudgeMemories = std::map<SeriesKey, JudgeMemory>;

/// The text of a target's judge file and back. Format `tokprobe.judge/1`: a JSON object
/// {"schema", "method": N, "target": NAME, "series": [{"probe", "concurrency", "identity", "trial",
/// "trial_since", "reference": COLUMNS, "waiting": COLUMNS, "verdicts": COLUMNS, "snapshots":
/// [{"time", "rows": COLUMNS}]}]}; COLUMNS are arrays of one length, null where a value is unknown:
/// time (seconds after the first, which is "from"), running, waiting, throughput, ttft, tpot.
std::string write_judge(const std::string& target, const JudgeMemories& memories);
/// Accepts any bytes; an error says what is wrong. Memories of another method are an error too:
/// their figures mean something else.
Result<JudgeMemories> read_judge(std::string_view text, const JudgeTimes& times);

}  // namespace tokprobe
