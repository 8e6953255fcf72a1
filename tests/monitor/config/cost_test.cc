#include "monitor/config/cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.h"

namespace tokprobe {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr SeriesCounts kSeries{115, 2, 48, 1, 12};

Config config_of(const std::string& text) {
  LoadResult result = load(text);
  EXPECT_TRUE(result.config.has_value()) << result.report();
  return result.config.value_or(Config{});
}

TEST(Cost, FollowsItsFormulas) {
  const Config config = config_of(R"(
targets: [{name: a, url: http://127.0.0.1:1}]
probes:
  - name: p
    interval: 1h
    concurrency: [1, 4]
    requests: 6
    input_tokens: 2000
    output_tokens: 100
    objectives: {availability: 0.99}
)");
  const CostEstimate estimate = estimate_cost(config, kSeries);
  const Cost& cost = estimate.targets.at(0).probes.at(0).cost;
  EXPECT_DOUBLE_EQ(cost.runs, 48);
  EXPECT_DOUBLE_EQ(cost.requests, 24 * 12);
  EXPECT_DOUBLE_EQ(cost.prompt_tokens, 24 * 12 * 2000);
  EXPECT_DOUBLE_EQ(cost.output_tokens, 24 * 12 * 100);
  // 1 s + 2000 / 2000 s + 100 / 50 s, six rounds and two.
  EXPECT_DOUBLE_EQ(cost.busy, 8 * 4.0 / 3600);
  EXPECT_EQ(cost.series, 48 + 1 + 2 * (115 + 2));
  EXPECT_EQ(estimate.total.series, cost.series + 12);
}

TEST(Cost, TakesTheDurationOfARequestFromObjectives) {
  ProbeConfig probe;
  probe.input_tokens = 2000;
  probe.output_tokens = 100;
  EXPECT_DOUBLE_EQ(expected_request_seconds(probe, {}), 4);
  probe.objectives = {{"time_to_first_token", 0.5}};
  EXPECT_DOUBLE_EQ(expected_request_seconds(probe, {}), 2.5);
  probe.objectives = {{"request_tokens_per_second", 10}};
  EXPECT_DOUBLE_EQ(expected_request_seconds(probe, {}), 12);
  probe.objectives = {{"time_per_output_token", 0.2}, {"request_tokens_per_second", 10}};
  EXPECT_DOUBLE_EQ(expected_request_seconds(probe, {}), 22);
  probe.objectives = {{"request_duration", 7}};
  EXPECT_DOUBLE_EQ(expected_request_seconds(probe, {}), 7);
  probe.timeout.total = std::chrono::seconds(3);
  EXPECT_DOUBLE_EQ(expected_request_seconds(probe, {}), 3);
}

TEST(Cost, ADisabledProbeAndAnotherTargetsProbeCostNothing) {
  const Config config = config_of(R"(
targets: [{name: a, url: http://127.0.0.1:1}, {name: b, url: http://127.0.0.1:2}]
probes:
  - {name: off, enabled: false}
  - {name: only-b, targets: [b], timeout: {total: 1m}}
)");
  const CostEstimate estimate = estimate_cost(config, kSeries);
  EXPECT_EQ(estimate.targets[0].sum.requests, 0);
  EXPECT_EQ(estimate.targets[0].sum.series, 12);
  EXPECT_EQ(estimate.targets[1].sum.requests, 288);
  EXPECT_EQ(estimate.total.requests, 288);
  EXPECT_EQ(estimate.total.busy, estimate.targets[1].sum.busy);
}

TEST(CostTable, OfTheDefaultSet) {
  const Config config = config_of("targets: [{name: my-server, url: http://127.0.0.1:8000}]");
  expect_golden(source_path("tests/data/config/cost_default.txt"),
                render_cost(estimate_cost(config, kSeries)));
}

TEST(CostTable, OfManyTargetsAndLevels) {
  std::string text = "targets:\n";
  for (int i = 0; i < 12; ++i) {
    text += "  - {name: gpu-" + std::to_string(i) +
            ", url: \"http://127.0.0.1:" + std::to_string(8000 + i) + "\"}\n";
  }
  text += R"(  - {name: "größer", url: http://127.0.0.1:9000}
probes:
  - {name: heartbeat, interval: 10s, timeout: {total: 8s}}
  - {name: ladder, interval: 1h, concurrency: [1, 2, 4, 8, 16], input_tokens: 1000, output_tokens: 500}
  - {name: hammer, targets: ["größer"], interval: 1m, concurrency: [64], requests: 512,
     input_tokens: 1000, output_tokens: 500}
)";
  const std::string table = render_cost(estimate_cost(config_of(text), kSeries));
  expect_golden(source_path("tests/data/config/cost_many.txt"), table);
  EXPECT_THAT(table, HasSubstr("Over 100 %"));
}

TEST(CostTable, NamesAProbeWithTooManySeries) {
  const Config config = config_of("targets: [{name: a, url: http://127.0.0.1:8000}]");
  EXPECT_THAT(render_cost(estimate_cost(config, kSeries)), Not(HasSubstr("should be the most")));
  EXPECT_THAT(render_cost(estimate_cost(config, SeriesCounts{201, 0, 0, 0, 0})),
              HasSubstr("Probe heartbeat has 201 series"));
}

}  // namespace
}  // namespace tokprobe
