#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <memory>

#include "monitor/cli/interruptible.h"
#include "monitor/cli/options.h"
#include "monitor/cli/output.h"
#include "monitor/config/load.h"
#include "monitor/daemon/daemon.h"
#include "monitor/sinks/judge_sink.h"
#include "monitor/sinks/log_sink.h"
#include "monitor/sinks/metrics_sink.h"
#include "monitor/web/landing.h"
#include "monitor/web/server.h"
#include "probes/base/version.h"

namespace tokprobe {
namespace {

constexpr const char* kDefaultListen = "127.0.0.1:18838";
constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

int usage_error(const std::string& message) {
  complain(fmt::format("tokprobe serve: {}\n", message));
  return 1;
}

Page plain(int status, std::string text) {
  return {status, "text/plain; charset=utf-8", std::move(text)};
}

std::vector<Route> make_routes(const MetricsSink& metrics, const std::atomic<bool>& ready) {
  return {{"/",
           [&](const Query&) {
             return Page{200, "text/html; charset=utf-8", landing_page(metrics.targets())};
           }},
          {"/metrics",
           [&](const Query&) {
             return Page{200, kMetricsType, metrics.page()};
           }},
          {"/-/healthy", [](const Query&) { return plain(200, "tokprobe is healthy.\n"); }},
          {"/-/ready", [&](const Query&) {
             return ready ? plain(200, "tokprobe is ready.\n")
                          : plain(503, "tokprobe is starting.\n");
           }}};
}

// What changes something; only with --web.enable-lifecycle.
Route accept_route(JudgeSink& judges, bool enabled) {
  return {"/-/accept",
          [&judges, enabled](const Query& query) {
            if (!enabled) return plain(403, "Started without --web.enable-lifecycle.\n");
            const auto target = query.find("target");
            if (target == query.end()) return plain(400, "The parameter target is missing.\n");
            const auto changed = judges.accept(target->second);
            if (!changed) return plain(404, changed.error() + "\n");
            if (*changed == 0) {
              return plain(409, "Nothing to accept: too few runs have been judged.\n");
            }
            return plain(200, fmt::format("{} series of {} accepted as normal.\n", *changed,
                                          target->second));
          },
          true};
}

// A rehearsal lasts minutes where the judge thinks in days.
JudgeTimes judge_times(const Log& log) {
  const char* text = std::getenv("TOKPROBE_TEST_TIME_SCALE");
  const double scale = text == nullptr ? 1 : std::strtod(text, nullptr);
  if (!(scale > 1 && scale <= 100'000)) return {};
  log.warn("the judge's windows are shortened, for a test", {{"factor", text}});
  return JudgeTimes().scaled(scale);
}

Result<bool> listen_on_all(WebServer& server, const std::vector<std::string>& addresses,
                           const Log& log) {
  for (const std::string& text : addresses) {
    const auto address = parse_listen_address(text);
    if (!address) return Error{address.error()};
    const auto port = server.listen(*address);
    if (!port) return Error{port.error()};
    log.info("listening", {{"address", show({address->host, *port})}});
  }
  return true;
}

// Everything but the waiting for signals.
int serve(const Config& config, const ServeOptions& o, const Log& log, Storage* storage,
          const std::stop_token& stop) {
  const SteadyClock clock;
  MetricsSink metrics(config, clock.wall());
  LogSink lines(log);
  JudgeSink judges(config, judge_times(log), storage, log,
                   [&metrics](const RunResult& run, const Judgement& judgement) {
                     metrics.on_judgement(run, judgement);
                   });
  Fanout sinks({&metrics, &judges, &lines});
  std::atomic<bool> ready = false;
  auto routes = make_routes(metrics, ready);
  routes.push_back(accept_route(judges, o.enable_lifecycle));
  WebServer server(std::move(routes), [&metrics](const std::string& handler, int code) {
    metrics.count_http(handler, code);
  });
  const auto addresses =
      o.listen_addresses.empty() ? std::vector<std::string>{kDefaultListen} : o.listen_addresses;
  const auto listening = listen_on_all(server, addresses, log);
  if (!listening) {
    log.error("cannot serve", {{"error", listening.error()}});
    return 1;
  }
  const auto save = [&](bool last) -> Result<bool> {
    const auto judged = judges.save(clock, last);
    auto kept = storage ? storage->save(unix_seconds(clock.wall())) : Result<bool>(true);
    return judged ? kept : judged;
  };
  const bool good =
      run_daemon(config, {clock, sinks, log, storage, save}, stop, [&ready] { ready = true; });
  log.info("stopped");
  return good ? 0 : 2;
}

}  // namespace

int run_serve(const ServeOptions& o) {
  if (o.config_file.empty()) {
    return usage_error(fmt::format(
        "--config.file is missing. A complete small configuration:\n\n{}", example_config()));
  }
  const LoadResult loaded = load_config_file(o.config_file, process_environment());
  complain(loaded.report());
  if (!loaded) return 1;
  const Log log(log_level(o.log_level),
                o.log_format == "json" ? LogFormat::kJson : LogFormat::kLogfmt);
  log.info("starting", {{"version", std::string(version())},
                        {"revision", std::string(revision())},
                        {"targets", std::to_string(loaded.config->targets.size())}});
  std::shared_ptr<Storage> storage;
  if (!o.storage_path.empty()) {
    std::string problem;
    const auto opened = Storage::open(o.storage_path, problem);
    if (!opened) return usage_error("--storage.path: " + opened.error());
    storage = *opened;
    if (!problem.empty()) log.warn("state begun anew", {{"problem", problem}});
  }
  const SignalHandlers handlers{[&log] {
    log.warn("SIGHUP passed over: this version reads its configuration at the start only");
  }};
  const Interrupted end = run_interruptible(
      [&](const std::stop_token& stop) {
        return serve(*loaded.config, o, log, storage.get(), stop);
      },
      handlers);
  return end.code;
}

}  // namespace tokprobe
