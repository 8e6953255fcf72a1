#include "probes/measures.h"

#include <gmock/gmock.h>

#include <set>

namespace tokprobe {
namespace {

using namespace std::chrono_literals;
using testing::DoubleEq;
using testing::Optional;

const Time kBegin{1h};

struct Made {
  Duration start{0}, ttft{100ms}, span{100ms}, gap_max{60ms}, close{0};
  int tokens = 11, chunks = 11, prompt = 100, cached = 0;
  TokenSource source = TokenSource::kUsage;
};

ProbeResult made(const Made& m) {
  ProbeResult r;
  r.reason = Reason::kOk;
  r.streamed = true;
  r.start = kBegin + m.start;
  r.end = r.start + m.ttft + m.span + m.close;
  r.duration = r.end - r.start + 1ms;
  r.timing.ttft = m.ttft;
  r.timing.first_answer = m.ttft;
  r.timing.last_token = m.ttft + m.span;
  r.timing.gap_max = m.gap_max;
  if (m.tokens >= 2) r.timing.tpot = m.span / (m.tokens - 1);
  r.timing.output_tokens = m.tokens;
  r.timing.token_source = m.source;
  r.arrivals.resize(static_cast<std::size_t>(m.chunks));
  r.prompt_tokens = m.prompt;
  r.cached_prompt_tokens = m.cached;
  r.phases.dns = 1ms;
  r.phases.first_token = m.ttft;
  return r;
}

ProbeResult failed(Duration start, Duration end) {
  ProbeResult r = made({.start = start, .ttft = 1ns, .span = end - start - 1ns, .tokens = 9999});
  r.reason = Reason::kTruncated;
  return r;
}

// Two ok requests and a failed one that lasts longest, from 0 to 1 s.
RunResult small() {
  RunResult run;
  run.requests = {made({.cached = 20}),
                  made({.start = 200ms,
                        .ttft = 300ms,
                        .span = 200ms,
                        .gap_max = 90ms,
                        .close = 50ms,
                        .tokens = 6,
                        .chunks = 3}),
                  failed(100ms, 1s)};
  run.client_lag = 3ms;
  return run;
}

std::optional<double> of(std::string_view key, const RunResult& run) {
  return measure(key).of_run(run);
}

TEST(Measures, AreAsComputedByHand) {
  const RunResult run = small();
  // 11 + 6 tokens of the ok requests over the 1 s of all three.
  EXPECT_THAT(of("output_tokens_per_second", run), Optional(DoubleEq(17)));
  // 1 / 10 ms and 1 / 40 ms.
  EXPECT_THAT(of("request_tokens_per_second", run), Optional(DoubleEq((100.0 + 25.0) / 2)));
  EXPECT_THAT(of("ttft_seconds", run), Optional(DoubleEq(0.2)));
  EXPECT_THAT(of("ttft_max_seconds", run), Optional(DoubleEq(0.3)));
  EXPECT_THAT(of("tpot_seconds", run), Optional(DoubleEq(0.025)));
  // 80 and 100 uncached prompt tokens.
  EXPECT_THAT(of("prompt_tokens_per_second", run), Optional(DoubleEq(180)));
  EXPECT_THAT(of("total_tokens_per_second", run), Optional(DoubleEq(197)));
  EXPECT_THAT(of("prefill_tokens_per_second", run), Optional(DoubleEq((800 + 100 / 0.3) / 2)));
  EXPECT_THAT(of("inter_chunk_max_seconds", run), Optional(DoubleEq(0.09)));
  EXPECT_THAT(of("tokens_per_chunk", run), Optional(DoubleEq((1.0 + 2.0) / 2)));
  EXPECT_THAT(of("duration_seconds", run), Optional(DoubleEq((0.201 + 0.551) / 2)));
  EXPECT_THAT(of("wall_seconds", run), Optional(DoubleEq(1)));
  EXPECT_THAT(of("client_lag_seconds", run), Optional(DoubleEq(0.003)));
}

TEST(Measures, OfOneRequestAreItsOwn) {
  const ProbeResult r = made({.tokens = 21, .chunks = 7});
  EXPECT_THAT(measure("ttft_seconds").of_request(r), Optional(DoubleEq(0.1)));
  EXPECT_THAT(measure("tpot_seconds").of_request(r), Optional(DoubleEq(0.005)));
  EXPECT_THAT(measure("request_tokens_per_second").of_request(r), Optional(DoubleEq(200)));
  EXPECT_THAT(measure("prefill_tokens_per_second").of_request(r), Optional(DoubleEq(1000)));
  EXPECT_THAT(measure("tokens_per_chunk").of_request(r), Optional(DoubleEq(3)));
  EXPECT_THAT(measure("duration_seconds").of_request(r), Optional(DoubleEq(0.201)));
}

TEST(Measures, AreAllAbsentWhenNoRequestWasOk) {
  RunResult run;
  for (const Measure& m : all_measures()) EXPECT_EQ(m.of_run(run), std::nullopt) << m.key;
  run.requests = {failed(0ms, 1s), failed(0ms, 2s)};
  run.client_lag = 3ms;
  for (const Measure& m : all_measures()) EXPECT_EQ(m.of_run(run), std::nullopt) << m.key;
  for (const PhaseRow& phase : all_phases()) EXPECT_EQ(phase_of_run(run, phase), std::nullopt);
  EXPECT_FALSE(any_ok(run));
  EXPECT_EQ(output_tokens(run), 0);
}

TEST(Measures, IgnoreWhatFailedRequestsMeasured) {
  RunResult with = small();
  RunResult without = small();
  without.requests.pop_back();
  for (const Measure& m : all_measures()) {
    if (m.of_request == nullptr) continue;
    EXPECT_EQ(m.of_run(with), m.of_run(without)) << m.key;
  }
  for (const PhaseRow& phase : all_phases()) {
    EXPECT_EQ(phase_of_run(with, phase), phase_of_run(without, phase)) << phase.name;
  }
}

TEST(Measures, CountTheTimeOfFailedRequests) {
  EXPECT_EQ(run_time(small()), 1s);
  RunResult none;
  EXPECT_EQ(run_time(none), std::nullopt);
}

TEST(Measures, HaveNoPromptSpeedWhenAnOkRequestHasNoFigure) {
  RunResult run = small();
  run.requests[1].prompt_tokens.reset();
  EXPECT_EQ(of("prompt_tokens_per_second", run), std::nullopt);
  EXPECT_EQ(of("total_tokens_per_second", run), std::nullopt);
  EXPECT_THAT(of("prefill_tokens_per_second", run), Optional(DoubleEq(800)));
  run = small();
  run.requests[2].prompt_tokens.reset();  // of a failed one it does not matter
  EXPECT_THAT(of("prompt_tokens_per_second", run), Optional(DoubleEq(180)));
}

TEST(Measures, HaveNoPrefillSpeedWhenAllWasCached) {
  EXPECT_EQ(measure("prefill_tokens_per_second").of_request(made({.cached = 100})), std::nullopt);
  EXPECT_EQ(measure("prefill_tokens_per_second").of_request(made({.cached = 200})), std::nullopt);
  EXPECT_EQ(measure("prefill_tokens_per_second").of_request(made({.ttft = 0ms})), std::nullopt);
}

TEST(Measures, CountTokensPerChunkOnlyByTheServersFigure) {
  const Measure& m = measure("tokens_per_chunk");
  EXPECT_EQ(m.of_request(made({.source = TokenSource::kEvents})), std::nullopt);
  EXPECT_EQ(m.of_request(made({.chunks = 0})), std::nullopt);
  EXPECT_TRUE(m.of_request(made({.source = TokenSource::kNative})).has_value());
}

TEST(Measures, ShowTheFirstAnswerOnlyWhereReasoningCame) {
  RunResult run = small();
  EXPECT_EQ(of("time_to_first_answer_seconds", run), std::nullopt);
  run.requests[2].reasoning_text = "failed ones do not count";
  EXPECT_EQ(of("time_to_first_answer_seconds", run), std::nullopt);
  run.requests[0].reasoning_text = "hm";
  EXPECT_THAT(of("time_to_first_answer_seconds", run), Optional(DoubleEq(0.2)));
}

TEST(Measures, HaveNoRateOverNoTime) {
  RunResult run;
  run.requests = {made({})};
  run.requests[0].end = run.requests[0].start;
  EXPECT_EQ(of("output_tokens_per_second", run), std::nullopt);
}

TEST(Measures, HaveNoSpeedWithoutTimePerToken) {
  ProbeResult r = made({});
  r.timing.tpot.reset();
  EXPECT_EQ(measure("request_tokens_per_second").of_request(r), std::nullopt);
  r.timing.tpot = 0ns;
  EXPECT_EQ(measure("request_tokens_per_second").of_request(r), std::nullopt);
}

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoMiddleOnes) {
  EXPECT_EQ(median({}), std::nullopt);
  EXPECT_THAT(median({7}), Optional(7.0));
  EXPECT_THAT(median({9, 1, 5}), Optional(5.0));
  EXPECT_THAT(median({4, 1}), Optional(2.5));
  EXPECT_THAT(median({9, 1, 100, 3}), Optional(6.0));
  EXPECT_THAT(median({2, 2, 2, 2, 8}), Optional(2.0));
}

TEST(RunCounts, AreOfTheMeasuredRequests) {
  RunResult run = small();
  run.unmeasured = {made({})};
  EXPECT_EQ(ok_count(run), 2);
  EXPECT_TRUE(any_ok(run));
  EXPECT_FALSE(all_ok(run));
  EXPECT_EQ(output_tokens(run), 17);
  run.requests.pop_back();
  EXPECT_TRUE(all_ok(run));
  EXPECT_FALSE(all_ok(RunResult{}));
}

void expect_edges_fit(std::span<const double> edges) {
  EXPECT_LE(edges.size(), 16U);
  for (std::size_t i = 0; i < edges.size(); ++i) EXPECT_GT(edges[i], i == 0 ? 0 : edges[i - 1]);
}

TEST(MeasureTable, HasUniqueNames) {
  std::set<std::string_view> keys, titles, metrics;
  for (const Measure& m : all_measures()) {
    EXPECT_TRUE(keys.insert(m.key).second) << m.key;
    EXPECT_TRUE(titles.insert(m.title).second) << m.title;
    EXPECT_TRUE(m.gauge.empty() || metrics.insert(m.gauge).second) << m.gauge;
    EXPECT_TRUE(m.histogram.empty() || metrics.insert(m.histogram).second) << m.histogram;
    EXPECT_FALSE(m.gauge.empty() && m.histogram.empty()) << m.key;
    EXPECT_EQ(&measure(m.key), &m);
  }
  EXPECT_THROW(measure("nothing"), std::logic_error);
}

TEST(MeasureTable, NamesUnitsInItsKeys) {
  for (const Measure& m : all_measures()) {
    EXPECT_EQ(m.key.ends_with("_seconds"), m.unit == Unit::kSeconds) << m.key;
    EXPECT_EQ(m.key.ends_with("_tokens_per_second"), m.unit == Unit::kTokensPerSecond) << m.key;
    EXPECT_EQ(m.better == Better::kLess, m.unit == Unit::kSeconds) << m.key;
    EXPECT_TRUE(m.help.ends_with('.')) << m.key;
  }
}

TEST(MeasureTable, HasSortedEdgesWhereThereIsAHistogram) {
  for (const Measure& m : all_measures()) {
    EXPECT_EQ(m.histogram.empty(), m.edges.empty()) << m.key;
    EXPECT_TRUE(m.histogram.empty() || m.of_request != nullptr) << m.key;
    EXPECT_NE(m.of_run, nullptr) << m.key;
    expect_edges_fit(m.edges);
  }
  EXPECT_FALSE(inter_chunk_edges().empty());
  expect_edges_fit(inter_chunk_edges());
}

TEST(PhaseTable, NamesEveryPhaseInTheirOrder) {
  std::vector<std::string_view> names;
  for (const PhaseRow& phase : all_phases()) names.push_back(phase.name);
  EXPECT_THAT(names,
              testing::ElementsAre("dns", "connect", "tls", "first_token", "generation", "close"));
  EXPECT_THAT(phase_of_run(small(), all_phases()[0]), Optional(DoubleEq(0.001)));
  EXPECT_THAT(phase_of_run(small(), all_phases()[3]), Optional(DoubleEq(0.2)));
  EXPECT_EQ(phase_of_run(small(), all_phases()[2]), std::nullopt);
}

}  // namespace
}  // namespace tokprobe
