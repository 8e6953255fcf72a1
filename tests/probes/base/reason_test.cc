#include "probes/base/reason.h"

#include <gmock/gmock.h>

#include <set>

#include "probes/result.h"

namespace tokprobe {
namespace {

using testing::ElementsAre;

template <class Table>
void expect_labels_fit(const Table& table) {
  std::set<std::string_view> labels;
  for (const auto& entry : table) {
    EXPECT_TRUE(labels.insert(entry.label).second) << entry.label;
    EXPECT_FALSE(entry.label.empty());
    EXPECT_FALSE(entry.meaning.empty());
    EXPECT_EQ(entry.label.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"),
              std::string_view::npos)
        << entry.label;
  }
}

TEST(Reason, RowsStandInTheOrderOfTheEnum) {
  for (std::size_t i = 0; i < kReasonCount; ++i) {
    EXPECT_EQ(kReasons[i].reason, static_cast<Reason>(i));
    EXPECT_EQ(row(static_cast<Reason>(i)).label, kReasons[i].label);
  }
  EXPECT_EQ(kReasons.back().reason, Reason::kInternal);  // the last of the enum: none is missing
}

TEST(Reason, LabelsAreUniqueAndFitForMetrics) { expect_labels_fit(kReasons); }

// Dashboards and alerts name these: a change here is a change of the interface.
TEST(Reason, LabelsNeverChange) {
  std::vector<std::string_view> labels;
  for (const ReasonRow& r : kReasons) labels.push_back(r.label);
  EXPECT_THAT(labels,
              ElementsAre("ok", "dns", "connect", "tls", "timeout_connect", "timeout_first_token",
                          "timeout_stall", "timeout_total", "unauthorized", "rate_limited",
                          "http_4xx", "http_5xx", "http_other", "connection_reset", "truncated",
                          "protocol_error", "bad_payload", "stream_error", "empty_output",
                          "aborted", "content_filter", "cancelled", "internal"));
}

TEST(Reason, AllFailuresAreTheServersButFour) {
  std::vector<std::string_view> ours;
  for (const ReasonRow& r : kReasons) {
    if (is_failure(r.reason) && !r.server_fault) ours.push_back(r.label);
  }
  EXPECT_THAT(ours, ElementsAre("unauthorized", "rate_limited", "http_4xx", "internal"));
}

TEST(Reason, OkAndCancelledAreNoFailures) {
  for (const ReasonRow& r : kReasons) {
    EXPECT_EQ(is_failure(r.reason), r.label != "ok" && r.label != "cancelled") << r.label;
    EXPECT_FALSE(r.server_fault && !is_failure(r.reason)) << r.label;
  }
}

TEST(Warning, RowsStandInTheOrderOfTheEnum) {
  for (std::size_t i = 0; i < kWarningCount; ++i) {
    EXPECT_EQ(kWarnings[i].warning, static_cast<Warning>(i));
    EXPECT_EQ(label(static_cast<Warning>(i)), kWarnings[i].label);
  }
  EXPECT_EQ(kWarnings.back().warning, Warning::kClientLimited);
}

TEST(Warning, LabelsAreUniqueAndFitForMetrics) { expect_labels_fit(kWarnings); }

TEST(Warning, LabelsNeverChange) {
  std::vector<std::string_view> labels;
  for (const WarningRow& w : kWarnings) labels.push_back(w.label);
  EXPECT_THAT(labels,
              ElementsAre("not_streamed", "burst", "missing_done", "missing_finish_reason",
                          "no_answer", "short_output", "long_output", "usage_missing",
                          "usage_mismatch", "prompt_length", "prompt_cached", "client_limited"));
}

TEST(Warning, SetsItsOwnBitOnly) {
  ProbeResult result;
  result.warn(Warning::kBurst);
  EXPECT_EQ(result.warnings.count(), 1U);
  EXPECT_TRUE(result.warnings.test(static_cast<std::size_t>(Warning::kBurst)));
}

TEST(CheckOutcome, HasALabel) {
  EXPECT_EQ(label(CheckResult::Outcome::kPass), "pass");
  EXPECT_EQ(label(CheckResult::Outcome::kFail), "fail");
  EXPECT_EQ(label(CheckResult::Outcome::kSkip), "skip");
  EXPECT_EQ(label(CheckResult::Outcome::kError), "error");
}

}  // namespace
}  // namespace tokprobe
