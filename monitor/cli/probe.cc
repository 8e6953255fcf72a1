#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "monitor/cli/interruptible.h"
#include "monitor/cli/options.h"
#include "monitor/cli/output.h"
#include "monitor/config/header_names.h"
#include "monitor/report/documents.h"
#include "monitor/report/table.h"
#include "probes/base/random.h"
#include "probes/base/text.h"
#include "probes/checks/expect.h"
#include "probes/drive.h"
#include "probes/identity.h"
#include "probes/transport/curl_transport.h"

namespace tokprobe {
namespace {

constexpr const char* kDefaultPrompt = "Write three plain sentences about the sea.";
constexpr int kDefaultRunInput = 100;

// What is settled before anything is sent.
struct Plan {
  Endpoint endpoint;
  const Dialect* dialect = nullptr;
  std::optional<ExpectCheck> expect;
  RunSpec run;
  bool single = true;
};

Result<Plan> make_plan(const ProbeOptions& o) {
  Plan plan;
  auto url = parse_url(o.url);
  if (!url) return Error{url.error()};
  plan.endpoint = Endpoint{*url, o.api_key_file, o.ca_file, o.insecure, o.proxy, o.headers};
  plan.dialect = find_dialect(o.api == "auto" ? "openai-chat" : o.api);
  if (plan.dialect == nullptr) {
    return Error{fmt::format("--api {}: not an API of this version", o.api)};
  }
  if (o.input_tokens > 0 && !o.prompt.empty()) {
    return Error{"--prompt and --input-tokens exclude each other"};
  }
  if (!o.expect.empty()) {
    auto expect = ExpectCheck::compile(o.expect);
    if (!expect) return Error{"--expect: " + expect.error()};
    plan.expect = *expect;
  }
  for (const auto& [name, value] : o.headers) {
    if (const auto problem = header_problem(name)) return Error{"--header: " + *problem};
    if (iequals(name, "authorization") && !o.api_key_file.empty()) {
      return Error{"--header: an Authorization header and --api-key-file exclude each other"};
    }
  }
  plan.single = o.concurrency == 1 && o.requests == 0;
  RunSpec& run = plan.run;
  run.target = plan.endpoint.url.masked();
  run.probe = "probe";
  run.concurrency = o.concurrency;
  run.requests = o.requests > 0 ? o.requests : o.concurrency;
  if (run.requests < run.concurrency) {
    return Error{
        fmt::format("--requests {} never reach --concurrency {}", o.requests, o.concurrency)};
  }
  Shape& shape = run.shape;
  shape.input_tokens = o.input_tokens;
  shape.prompt = o.prompt;
  if (o.input_tokens == 0 && o.prompt.empty()) {
    if (plan.single) shape.prompt = kDefaultPrompt;
    if (!plan.single) shape.input_tokens = kDefaultRunInput;
  }
  shape.output_tokens = o.max_tokens;
  shape.ignore_eos = o.ignore_eos.value_or(shape.input_tokens > 0);
  shape.reuse_connection = o.reuse_connections;
  shape.timeouts = o.timeouts;
  // A single request with everything given is exactly that one request.
  run.calibrate = !plan.single || o.api == "auto" || o.model == "auto";
  return plan;
}

std::string choose_model(const Plan& plan, const ProbeOptions& o, HttpTransport& transport,
                         const Clock& clock, const std::stop_token& stop) {
  if (o.model != "auto") return o.model;
  Identification who(plan.endpoint, std::min<Duration>(o.timeouts.total, std::chrono::seconds(10)),
                     transport, clock);
  drive(who, transport, clock, stop);
  return who.identity().model;
}

RunResult checked(RunResult run, const std::optional<ExpectCheck>& expect) {
  if (!expect) return run;
  for (ProbeResult& r : run.requests) {
    if (r.ok()) r.checks.push_back(expect->run(r.text.empty() ? r.reasoning_text : r.text));
  }
  return run;
}

bool fine(const RunResult& run) {
  return std::all_of(run.requests.begin(), run.requests.end(), [](const ProbeResult& r) {
    return r.ok() && std::all_of(r.checks.begin(), r.checks.end(), [](const CheckResult& c) {
             return c.outcome == CheckResult::Outcome::kPass;
           });
  });
}

std::string rendered(const Plan& plan, const RunResult& run, Format format) {
  if (plan.single) {
    const ProbeResult& only = run.requests.front();
    return format == Format::kJson ? probe_document(only) : probe_text(only, true);
  }
  return format == Format::kJson ? run_document(run) : run_text(run);
}

int carry_out(const Plan& plan, const ProbeOptions& o, const std::stop_token& stop) {
  const SteadyClock clock;
  CurlTransport transport(clock);
  Requester requester(plan.endpoint, *plan.dialect, choose_model(plan, o, transport, clock, stop),
                      o.seed.value_or(random_seed()));
  Run run(plan.run, requester, transport, clock);
  if (!stop.stop_requested()) drive(run, transport, clock, stop);
  if (!run.done()) run.cancel();
  const RunResult result = checked(run.take(), plan.expect);
  if (result.requests.empty()) return 2;  // stopped before anything was known
  return emit(rendered(plan, result, o.format), fine(result) ? 0 : 2);
}

}  // namespace

int run_probe(const ProbeOptions& options) {
  const auto plan = make_plan(options);
  if (!plan) {
    complain(fmt::format("tokprobe probe: {}\n", plan.error()));
    return 1;
  }
  const Interrupted end = run_interruptible(
      [&](const std::stop_token& stop) { return carry_out(*plan, options, stop); });
  return end.signal != 0 ? 128 + end.signal : end.code;
}

}  // namespace tokprobe
