#include "tests/monitor/samples.h"

namespace tokprobe::testing_support {

using namespace std::chrono_literals;

TargetConfig target_named(std::string name) {
  TargetConfig target;
  target.name = std::move(name);
  target.url = "http://127.0.0.1:8000";
  return target;
}

ProbeConfig probe_named(std::string name, std::vector<int> concurrency) {
  ProbeConfig probe;
  probe.name = std::move(name);
  probe.concurrency = std::move(concurrency);
  return probe;
}

Config small_config(std::vector<int> concurrency, std::vector<Objective> objectives) {
  Config config;
  config.targets.push_back(target_named("t"));
  config.probes.push_back(probe_named("p", std::move(concurrency)));
  config.probes.front().objectives = std::move(objectives);
  return config;
}

Config rich_config() {
  Config config;
  TargetConfig alpha = target_named("alpha");
  alpha.url = "http://user:hunter2@10.0.0.5:30000/base?key=hunter3";
  alpha.api = "openai-chat";
  alpha.labels = {{"team", "search"}, {"gpu", "2xA6000"}};
  TargetConfig hostile = target_named(kHostile);
  hostile.model = kHostile;
  hostile.labels = {{"team", kHostile}};
  config.targets = {alpha, hostile};
  config.series_labels = {"team", "site"};
  ProbeConfig speed = probe_named("speed", {1, 8});
  speed.targets = {"alpha"};
  speed.objectives = {{"time_to_first_token", 2}, {"availability", 0.995}};
  ProbeConfig heartbeat = probe_named("heartbeat");
  heartbeat.interval = 1min;
  ProbeConfig off = probe_named("off");
  off.enabled = false;
  config.probes = {speed, heartbeat, off};
  return config;
}

ProbeResult ok_request(Duration begun) {
  ProbeResult r;
  r.request_id = "tokprobe-1";
  r.reason = Reason::kOk;
  r.http_status = 200;
  r.streamed = true;
  r.start = Time(begun);
  r.end = r.start + 190ms;
  r.duration = 200ms;
  r.timing.ttft = 100ms;
  r.timing.first_answer = 100ms;
  r.timing.last_token = 180ms;
  r.timing.gap_max = 20ms;
  r.timing.tpot = Duration(80ms) / 9;
  r.timing.output_tokens = 10;
  r.timing.token_source = TokenSource::kUsage;
  r.phases.dns = 1ms;
  r.phases.connect = 9ms;
  r.phases.first_token = 100ms;
  r.phases.generation = 80ms;
  r.phases.close = 10ms;
  for (int i = 0; i < 5; ++i) r.arrivals.push_back(r.start + 100ms + i * 20ms);
  r.prompt_tokens = 100;
  r.finish_reason = "length";
  r.text = "one two three four five";
  r.asked_input_tokens = 100;
  r.asked_output_tokens = 10;
  return r;
}

ProbeResult failed_request(Reason reason, Duration begun) {
  ProbeResult r;
  r.request_id = "tokprobe-2";
  r.reason = reason;
  r.detail = row(reason).meaning;
  r.start = Time(begun);
  r.end = r.start + 50ms;
  return r;
}

ProbeResult checked(ProbeResult result, CheckResult::Outcome outcome) {
  const bool pass = outcome == CheckResult::Outcome::kPass;
  result.checks.push_back({"expect", outcome, pass ? 1.0 : 0.0, "looked for \"two\""});
  return result;
}

RunResult run_of(std::vector<ProbeResult> requests, int concurrency) {
  RunResult run;
  run.target = "t";
  run.probe = "p";
  run.concurrency = concurrency;
  run.asked_input_tokens = 100;
  run.asked_output_tokens = 10;
  run.started = WallTime(1'800'000'000s);
  run.requests = std::move(requests);
  run.client_lag = 250us;
  run.load = {3, 1, 0.25};
  return run;
}

RunResult run_at(std::string target, std::string probe, RunResult run) {
  run.target = std::move(target);
  run.probe = std::move(probe);
  return run;
}

TargetState state_after(const Config& config, const std::vector<RunResult>& runs) {
  TargetState state = initial_state(config, config.targets.front());
  for (const RunResult& run : runs) apply(run, state);
  return state;
}

std::string page_of(const TargetState& state) {
  return metrics_page({std::make_shared<const TargetState>(state)}, SelfState{});
}

}  // namespace tokprobe::testing_support
