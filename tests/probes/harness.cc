#include "tests/probes/harness.h"

#include <gtest/gtest.h>

namespace tokprobe {
namespace {

using namespace std::chrono_literals;

ProbeSpec spec_of(const Asked& asked) {
  ProbeSpec spec;
  spec.dialect = find_dialect(asked.api);
  spec.timeouts = asked.timeouts;
  spec.request_id = "test-1";
  spec.asked_input_tokens = asked.input_tokens;
  spec.asked_output_tokens = asked.output_tokens;
  return spec;
}

}  // namespace

Player::Player(Script script, Asked asked)
    : start_(clock_.now()),
      transport_(clock_, [script = std::move(script)](const HttpRequest&) { return script; }),
      probe_(spec_of(asked), clock_) {
  probe_.start(transport_);
}

void Player::play_until(Duration since_start) {
  const Time until = start_ + since_start;
  do {
    transport_.run_until(until);
  } while (clock_.now() < until);
  probe_.check_time(transport_, clock_.now());
}

ProbeResult Player::finish() {
  for (Duration t = clock_.now() - start_; !probe_.done() && t < 1h;) play_until(t += 1ms);
  EXPECT_TRUE(probe_.done());
  EXPECT_EQ(transport_.under_way(), 0U);
  return probe_.take();
}

ProbeResult play(Script script, Asked asked) { return Player(std::move(script), asked).finish(); }

Script stream(std::vector<Script::Read> reads, TransferEnd end) {
  Script script;
  script.dns = script.connect = Duration::zero();
  script.head = stream_head();
  script.reads = std::move(reads);
  script.end = end;
  return script;
}

Script response(int status, std::string_view type, std::string_view body, Duration at) {
  Script script;
  script.dns = script.connect = Duration::zero();
  script.head = HttpHead{status, {{"content-type", std::string(type)}}};
  if (!body.empty()) script.reads = {{at, std::string(body)}};
  script.end_at = at;
  return script;
}

std::string text_event(std::string_view text) {
  return R"(data: {"choices":[{"index":0,"delta":{"content":")" + std::string(text) + "\"}}]}\n\n";
}

std::string finish_event(std::string_view reason) {
  return R"(data: {"choices":[{"index":0,"delta":{},"finish_reason":")" + std::string(reason) +
         "\"}]}\n\n";
}

std::string usage_event(int prompt_tokens, int output_tokens) {
  return R"(data: {"choices":[],"usage":{"prompt_tokens":)" + std::to_string(prompt_tokens) +
         R"(,"completion_tokens":)" + std::to_string(output_tokens) + "}}\n\n";
}

std::string ending(int prompt_tokens, int output_tokens, std::string_view reason) {
  return finish_event(reason) + usage_event(prompt_tokens, output_tokens) + std::string(kDone);
}

std::vector<std::string_view> warnings_of(const ProbeResult& result) {
  std::vector<std::string_view> labels;
  for (const WarningRow& row : kWarnings) {
    if (result.warnings.test(static_cast<std::size_t>(row.warning))) labels.push_back(row.label);
  }
  return labels;
}

Duration sum_of(const Phases& p) {
  Duration sum{0};
  for (const auto& part : {p.dns, p.connect, p.tls, p.first_token, p.generation, p.close}) {
    sum += part.value_or(Duration::zero());
  }
  return sum;
}

}  // namespace tokprobe
