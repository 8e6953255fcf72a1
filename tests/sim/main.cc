// tokprobe-sim: an inference server without a model, whose true timings are known. See README.md.

#include <fmt/format.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/sim/handlers.h"

namespace {

using namespace tokprobe_sim;
using nlohmann::json;

constexpr int kUsageError = 1;

// The flags of all rows of the settings table; their values end up in `values`.
void add_settings(CLI::App& app, json& values) {
  const Settings defaults;
  for (const Setting& row : settings_table()) {
    std::string flag = "--" + row.key;
    std::replace(flag.begin(), flag.end(), '_', '-');
    if (row.flag) {
      app.add_flag_callback(
          flag, [&values, key = row.key] { values[key] = true; }, row.help);
      continue;
    }
    const json initial = row.get(defaults);
    app.add_option_function<std::string>(
           flag,
           [&values, key = row.key, text = initial.is_string()](const std::string& value) {
             const json number = json::parse(value, nullptr, false);
             values[key] = text || !number.is_number() ? json(value) : number;
           },
           row.help)
        ->type_name("")
        ->default_str(initial.is_string() ? initial.get<std::string>() : initial.dump());
  }
}

std::string split_address(const std::string& text, HttpOptions& http) {
  const size_t colon = text.rfind(':');
  if (colon != std::string::npos) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + colon + 1, end, http.port);
    http.host = text.substr(0, colon);
    if (error == std::errc() && stop == end && http.port >= 0 && http.port < 65536 &&
        !http.host.empty()) {
      return "";
    }
  }
  return fmt::format("--listen: '{}' is not HOST:PORT", text);
}

std::string read_settings(json values, const std::vector<std::string>& faults, Settings& settings) {
  values["faults"] = json::array();
  for (const std::string& text : faults) {
    Fault fault;
    if (std::string problem = parse_fault(text, fault); !problem.empty()) return problem;
    values["faults"].push_back(to_json(fault));
  }
  return apply_changes(values, settings);
}

int fail(const std::string& problem) {
  fmt::print(stderr, "tokprobe-sim: {}\n", problem);
  return kUsageError;
}

int serve(const HttpOptions& http, const Settings& settings) {
  // A stream's sleep must end on its nanosecond, not some 50 us later as Linux allows itself;
  // threads inherit this. Nor may a burst of connections run out of descriptors.
  prctl(PR_SET_TIMERSLACK, 1UL);
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  Shared shared(settings);
  HttpServer server(http);
  add_handlers(server, shared);
  int port = 0;
  if (const std::string problem = server.open(port); !problem.empty()) return fail(problem);
  std::thread listener([&server] { server.run(); });
  // httplib ignores a stop() that comes before its loop runs.
  while (!server.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  fmt::print("listening on {}://{}:{}\n", http.tls_cert.empty() ? "http" : "https", http.host,
             port);
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  server.shut_down();
  listener.join();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("An OpenAI-compatible inference server without a model, with known timings.",
               "tokprobe-sim");
  app.set_version_flag("--version", "tokprobe-sim 1");
  HttpOptions http;
  std::string listen = "127.0.0.1:18800";
  json values = json::object();
  std::vector<std::string> faults;
  Settings settings;
  app.add_option("--listen", listen, "HOST:PORT; port 0 takes a free one")->capture_default_str();
  app.add_option("--max-connections", http.max_connections, "more wait for a thread")
      ->check(CLI::Range(1, 20000))
      ->capture_default_str();
  app.add_option("--max-body", http.max_body, "largest request body, bytes")->capture_default_str();
  app.add_option("--api-key", settings.api_key, "demand this bearer token for /v1/");
  auto* cert = app.add_option("--tls-cert", http.tls_cert, "PEM file; serve https");
  auto* key = app.add_option("--tls-key", http.tls_key, "PEM file");
  cert->needs(key);
  key->needs(cert);
  app.add_option("--fault", faults, "KIND[,KEY=NUMBER..], repeatable; see README.md");
  add_settings(app, values);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsageError;
  }
  std::string problem = split_address(listen, http);
  if (problem.empty()) problem = read_settings(values, faults, settings);
  return problem.empty() ? serve(http, settings) : fail(problem);
}
