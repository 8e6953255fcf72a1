#include "monitor/metrics/objective.h"

#include <gmock/gmock.h>

#include "monitor/config/objectives.h"
#include "tests/monitor/samples.h"

namespace tokprobe {
namespace {

using namespace std::chrono_literals;
using namespace testing_support;

struct Verdict {
  std::uint64_t requests, violations;
  bool operator==(const Verdict&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Verdict& v) {
  return out << v.violations << " of " << v.requests;
}
constexpr Verdict kMet{1, 0};
constexpr Verdict kMissed{1, 1};
constexpr Verdict kNotJudged{0, 0};

Verdict judge(const std::string& name, double threshold, const ProbeResult& result) {
  ObjectiveCount count{{name, threshold}, 0, 0};
  count_objective(result, count);
  return {count.requests, count.violations};
}

TEST(Objective, EveryNameOfTheConfigurationIsUnderstood) {
  for (const ObjectiveRow& row : kObjectives) {
    EXPECT_EQ(judge(std::string(row.key), 0.5, ok_request()).requests, 1U) << row.key;
  }
}

TEST(Objective, TheDirectionIsThatOfTheConfiguration) {
  for (const ObjectiveRow& row : kObjectives) {
    if (row.unit == ObjectiveUnit::kRatio) continue;
    const std::string name(row.key);
    EXPECT_EQ(judge(name, 1e-9, ok_request()), row.more_is_better ? kMet : kMissed) << name;
    EXPECT_EQ(judge(name, 1e9, ok_request()), row.more_is_better ? kMissed : kMet) << name;
  }
}

TEST(Objective, AFigureAtTheThresholdMeetsIt) {
  ProbeResult r = ok_request();
  r.timing.tpot = 62'500us;  // 16 tokens a second, exact in binary
  r.timing.ttft = 125ms;
  EXPECT_EQ(judge("time_to_first_token", 0.125, r), kMet);
  EXPECT_EQ(judge("time_per_output_token", 0.0625, r), kMet);
  EXPECT_EQ(judge("request_tokens_per_second", 16, r), kMet);
  r.timing.ttft = 125ms + 1ns;
  EXPECT_EQ(judge("time_to_first_token", 0.125, r), kMissed);
}

TEST(Objective, AvailabilityJudgesWhatIsTheServersOwn) {
  EXPECT_EQ(judge("availability", 0.995, ok_request()), kMet);
  for (const Reason ours :
       {Reason::kInternal, Reason::kUnauthorized, Reason::kRateLimited, Reason::kHttp4xx}) {
    EXPECT_EQ(judge("availability", 0.995, failed_request(ours)), kNotJudged) << label(ours);
  }
  for (const Reason theirs :
       {Reason::kDns, Reason::kConnect, Reason::kTls, Reason::kTimeoutConnect,
        Reason::kTimeoutFirstToken, Reason::kTimeoutStall, Reason::kTimeoutTotal, Reason::kHttp5xx,
        Reason::kHttpOther, Reason::kConnectionReset, Reason::kTruncated, Reason::kProtocolError,
        Reason::kBadPayload, Reason::kStreamError, Reason::kEmptyOutput, Reason::kAborted,
        Reason::kContentFilter}) {
    EXPECT_EQ(judge("availability", 0.995, failed_request(theirs)), kMissed) << label(theirs);
  }
}

TEST(Objective, TheOthersJudgeOkRequestsOnly) {
  ProbeResult failed = ok_request();
  failed.reason = Reason::kTimeoutStall;
  for (const ObjectiveRow& row : kObjectives) {
    if (row.unit == ObjectiveUnit::kRatio) continue;
    EXPECT_EQ(judge(std::string(row.key), 1, failed), kNotJudged) << row.key;
  }
}

TEST(Objective, AFigureThatIsNotKnownIsNotJudged) {
  ProbeResult r = ok_request();
  r.timing.ttft = r.timing.first_answer = r.timing.tpot = std::nullopt;
  r.duration = std::nullopt;
  for (const ObjectiveRow& row : kObjectives) {
    if (row.unit == ObjectiveUnit::kRatio) continue;
    EXPECT_EQ(judge(std::string(row.key), 1, r), kNotJudged) << row.key;
  }
}

TEST(Objective, AnUnknownNameIsNotJudged) {
  EXPECT_EQ(judge("beauty", 1, ok_request()), kNotJudged);
}

}  // namespace
}  // namespace tokprobe
