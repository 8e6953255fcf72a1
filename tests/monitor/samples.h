#pragma once

#include <memory>
#include <string>
#include <vector>

#include "monitor/config/config.h"
#include "monitor/metrics/exposition.h"
#include "monitor/metrics/state.h"
#include "probes/result.h"

namespace tokprobe::testing_support {

/// A name that tries to break out of every format.
inline const std::string kHostile = "b\"ad\\ \n<script>&'\xC3\xBC";

TargetConfig target_named(std::string name);
ProbeConfig probe_named(std::string name, std::vector<int> concurrency = {1});
/// One target `t` with one probe `p`.
Config small_config(std::vector<int> concurrency = {1}, std::vector<Objective> objectives = {});
/// Two targets, one with a hostile name, series labels, several levels, objectives, and a probe
/// that is off.
Config rich_config();

/// An ok request that begins `begun` after the epoch: ttft 0.1 s, 5 text events 20 ms apart, 10
/// tokens (tpot 80 ms / 9), 100 prompt tokens, duration 0.2 s.
ProbeResult ok_request(Duration begun = Duration(0));
ProbeResult failed_request(Reason reason, Duration begun = Duration(0));
ProbeResult checked(ProbeResult result, CheckResult::Outcome outcome);

/// A run of these requests by target `t` and probe `p`, begun at Unix time 1800000000.
RunResult run_of(std::vector<ProbeResult> requests, int concurrency = 1);
RunResult run_at(std::string target, std::string probe, RunResult run);

/// The state of the first target of `config` after these runs.
TargetState state_after(const Config& config, const std::vector<RunResult>& runs);
std::string page_of(const TargetState& state);

}  // namespace tokprobe::testing_support
