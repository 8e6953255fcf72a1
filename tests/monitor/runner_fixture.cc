#include "tests/monitor/runner_fixture.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tokprobe::testing_support {
namespace {

using namespace std::chrono_literals;

Script document(int status, const std::string& body) {
  Script script;
  script.head = HttpHead{status, {{"content-type", "application/json"}}};
  script.head_at = 1ms;
  script.reads = {{1ms, body}};
  return script;
}

Script refused() {
  Script script;
  script.connects = false;
  script.end = TransferEnd::kConnect;
  script.detail = "connection refused";
  script.end_at = 1ms;
  return script;
}

std::string text_event(const std::string& text) {
  return R"(data: {"choices":[{"index":0,"delta":{"content":")" + text + "\"}}]}\n\n";
}

Script stream(Duration time, const std::string& prompt) {
  const auto words = std::count(prompt.begin(), prompt.end(), ' ') + 1;
  Script script;
  script.head = stream_head();
  script.reads = {{time / 2, text_event("a")},
                  {time * 3 / 4, text_event("b")},
                  {time, text_event("c")},
                  {time, R"(data: {"choices":[{"delta":{},"finish_reason":"length"}]})"
                         "\n\n"
                         R"(data: {"choices":[],"usage":{"completion_tokens":3,"prompt_tokens":)" +
                             std::to_string(words) + "}}\n\ndata: [DONE]\n\n"}};
  return script;
}

}  // namespace

long RecordingSink::runs_of(std::string_view probe) const {
  return std::count_if(runs.begin(), runs.end(), [&](const auto& r) { return r.probe == probe; });
}

Script RunnerTest::answer(const HttpRequest& request) {
  log_.push_back({clock_.now(), request.url});
  if (down_) return refused();
  if (request.url.ends_with("/v1/models")) {
    return document(models_status_, R"({"data":[{"id":")" + model_ + R"(","owned_by":"vllm"}]})");
  }
  if (request.url.ends_with("/prometheus/metrics")) return document(404, "{}");
  if (request.url.ends_with("/metrics")) return document(metrics_status_, metrics_);
  if (request.url.ends_with("/version")) return document(200, R"({"version":"0.8.0"})");
  const auto body = nlohmann::json::parse(request.body);
  return stream(answer_time_, body["messages"][0]["content"].get<std::string>());
}

void RunnerTest::start(const Config& config, Storage* storage) {
  runner_ = std::make_unique<TargetRunner>(config, config.targets.front(),
                                           RunnerContext{clock_, transport_, sink_, storage});
}

void RunnerTest::run_for(Duration time) {
  const Time end = clock_.now() + time;
  while (clock_.now() < end) {
    runner_->pump(clock_.now());
    transport_.run_until(std::min(end, runner_->wake(clock_.now())));
  }
  runner_->pump(clock_.now());
}

std::vector<RunnerTest::Asked> RunnerTest::asked(std::string_view path) const {
  std::vector<Asked> out;
  std::copy_if(log_.begin(), log_.end(), std::back_inserter(out),
               [&](const Asked& a) { return a.url.ends_with(path); });
  return out;
}

}  // namespace tokprobe::testing_support
