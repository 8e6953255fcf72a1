#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>

#include "monitor/cli/options.h"
#include "probes/base/text.h"
#include "probes/base/version.h"

namespace tokprobe {
namespace {

constexpr const char* kAbout =
    "tokprobe watches LLM inference servers from the client's side: tokens per second,\n"
    "time to first token, failures by reason.";

std::string version_line() {
  return fmt::format("tokprobe {} (revision {}, method {})", version(), revision(), kMethod);
}

// A validator that does not print itself into the help: the help text says what is allowed.
template <class Validator>
Validator quiet(Validator validator) {
  validator.description("");
  return validator;
}

// An option whose value is a duration such as 300ms or 5s.
void add_duration(CLI::App& app, const std::string& name, Duration& into, const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [&into](const std::string& text) {
           const auto value = parse_duration(text);
           if (!value) throw CLI::ValidationError(value.error());
           if (value->count() == 0) throw CLI::ValidationError("must be longer than 0s");
           into = *value;
         },
         fmt::format("{} (default {})", help, format_duration(into)))
      ->type_name("DURATION");
}

void add_serve(CLI::App& app, ServeOptions& o) {
  app.add_option("--config.file", o.config_file, "Configuration file (YAML)")->type_name("FILE");
  app.add_option("--web.listen-address", o.listen_addresses,
                 "Address to serve /metrics on; repeatable (default 127.0.0.1:18838)")
      ->type_name("HOST:PORT")
      ->take_all()
      ->allow_extra_args(false);
  app.add_flag("--web.enable-lifecycle", o.enable_lifecycle,
               "Answer POST /-/accept (see tokprobe accept)");
  app.add_option("--storage.path", o.storage_path,
                 "Directory for what has been learned: what is normal, prompt lengths, last run "
                 "times (default: nothing is kept)")
      ->type_name("DIR");
  app.add_option("--log.level", o.log_level, "debug, info, warn or error (default info)")
      ->check(quiet(CLI::IsMember({"debug", "info", "warn", "error"})))
      ->type_name("LEVEL");
  app.add_option("--log.format", o.log_format, "logfmt or json (default logfmt)")
      ->check(quiet(CLI::IsMember({"logfmt", "json"})))
      ->type_name("FORMAT");
}

void add_probe_request(CLI::App& app, ProbeOptions& o) {
  app.add_option("url", o.url, "Base URL of the server, such as http://127.0.0.1:8000")->required();
  app.add_option("--api", o.api, "auto, openai-chat or openai-completions (default auto)")
      ->type_name("API");
  app.add_option("--model", o.model, "Model name (default: the first that the server lists)")
      ->type_name("NAME");
  app.add_option("--max-tokens", o.max_tokens, "Output tokens at most (default 128)")
      ->check(quiet(CLI::Range(1, 1'000'000)))
      ->type_name("N");
  app.add_option("--input-tokens", o.input_tokens,
                 "Send generated prompts of this length instead of a fixed text")
      ->check(quiet(CLI::Range(1, 1'000'000)))
      ->type_name("N");
  app.add_option("--prompt", o.prompt, "Send this text")->type_name("TEXT");
  app.add_flag("--ignore-eos,!--no-ignore-eos", o.ignore_eos,
               "Ask for exactly --max-tokens tokens (default: with --input-tokens only)");
  app.add_option("--expect", o.expect, "Fail unless the text matches this expression (RE2)")
      ->type_name("REGEX");
  app.add_option("--concurrency", o.concurrency, "Requests at once (default 1)")
      ->check(quiet(CLI::Range(1, 4096)))
      ->type_name("C");
  app.add_option("--requests", o.requests, "Requests in all (default: C)")
      ->check(quiet(CLI::Range(1, 1'000'000)))
      ->type_name("N");
}

void add_header(ProbeOptions& o, const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos || colon == 0) {
    throw CLI::ValidationError("a header is written 'Name: value'");
  }
  o.headers.emplace_back(trim(text.substr(0, colon)), trim(text.substr(colon + 1)));
}

void add_probe_connection(CLI::App& app, ProbeOptions& o) {
  add_duration(app, "--connect-timeout", o.timeouts.connect, "Name, TCP and TLS");
  add_duration(app, "--first-token-timeout", o.timeouts.first_token,
               "From sending to the first token");
  add_duration(app, "--stall-timeout", o.timeouts.stall, "Silence after the first token");
  add_duration(app, "--timeout", o.timeouts.total, "The whole request");
  app.add_option("--api-key-file", o.api_key_file, "File that holds the API key")
      ->type_name("FILE");
  app.add_option("--ca-file", o.ca_file, "Certificates to trust (PEM)")->type_name("FILE");
  app.add_flag("--insecure", o.insecure, "Do not check the server's certificate");
  app.add_option("--proxy", o.proxy, "Proxy URL (default: none, whatever the environment says)")
      ->type_name("URL");
  app.add_option_function<std::vector<std::string>>(
         "--header",
         [&o](const std::vector<std::string>& all) {
           for (const std::string& text : all) add_header(o, text);
         },
         "Header to send, 'Name: value'; repeatable")
      ->type_name("HEADER")
      ->allow_extra_args(false);
  app.add_flag("--reuse-connections", o.reuse_connections,
               "Keep connections from request to request");
  app.add_option("--seed", o.seed, "Seed of the generated prompts (default: a new one)")
      ->type_name("N");
  app.add_option_function<std::string>(
         "--format",
         [&o](const std::string& f) { o.format = f == "json" ? Format::kJson : Format::kText; },
         "text or json (default text)")
      ->check(quiet(CLI::IsMember({"text", "json"})))
      ->type_name("FORMAT");
}

// Everything the command line can fill in, in one place.
struct Cli {
  CLI::App app{kAbout, "tokprobe"};
  ServeOptions serve;
  ProbeOptions probe;
  AcceptOptions accept;
  CheckConfigOptions check_config;
  DocsOptions docs;
  std::vector<std::pair<CLI::App*, std::function<Command()>>> commands;

  Cli() {
    app.require_subcommand(1);
    app.set_version_flag("--version", version_line());
    app.get_formatter()->column_width(34);
    app.footer(
        "Exit codes: 0 fine, 1 usage or configuration, 2 the probe or server failed,\n"
        "130 or 143 a one-shot command was interrupted.\n"
        "`tokprobe COMMAND --help` tells more.\n");
    add_serve(add("serve", "Probe on a schedule and export Prometheus metrics", serve), serve);
    CLI::App& p =
        add("probe", "Send one request, or a run of them, and print what came of it", probe);
    add_probe_request(p, probe);
    add_probe_connection(p, probe);
    CLI::App& a = add("accept", "Take what an agent measures of a target now for normal", accept);
    a.add_option("target", accept.target, "Name of the target in the agent's configuration")
        ->required();
    a.add_option("--agent", accept.agent,
                 "The agent, started with --web.enable-lifecycle (default http://127.0.0.1:18838)")
        ->type_name("URL");
    add("check-config", "Check configuration files and print what they will cost", check_config)
        .add_option("file", check_config.files, "Configuration files")
        ->required();
    add("docs", "Print the generated reference", docs)
        .add_option("topic", docs.topic, "config, flags or metrics")
        ->check(quiet(CLI::IsMember({"config", "flags", "metrics"})))
        ->required();
  }

  template <class Options>
  CLI::App& add(const std::string& name, const std::string& help, Options& options) {
    CLI::App* command = app.add_subcommand(name, help);
    commands.emplace_back(command, [&options] { return Command(options); });
    return *command;
  }
};

// The name of a command that does not exist and, perhaps, of the one that was meant.
std::string unknown_command(const Cli& cli, std::string_view word) {
  std::string out = fmt::format("unknown command '{}'", printable(word, 40));
  std::vector<std::string> names;
  for (const auto& [command, make] : cli.commands) names.push_back(command->get_name());
  const std::vector<std::string_view> views(names.begin(), names.end());
  if (const auto meant = nearest(word, views.data(), views.size())) {
    out += fmt::format("; did you mean '{}'?", *meant);
  }
  return out;
}

bool is_command(const Cli& cli, std::string_view word) {
  return std::any_of(cli.commands.begin(), cli.commands.end(),
                     [&](const auto& row) { return row.first->get_name() == word; });
}

}  // namespace

Parsed parse_arguments(int argc, char** argv) {
  Cli cli;
  if (argc > 1 && argv[1][0] != '-' && !is_command(cli, argv[1])) {
    std::cerr << "tokprobe: " << unknown_command(cli, argv[1]) << "\nTry 'tokprobe --help'.\n";
    return 1;
  }
  try {
    cli.app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return cli.app.exit(e, std::cout, std::cerr);
  } catch (const CLI::ParseError& e) {
    std::cerr << "tokprobe: " << e.what() << "\nTry 'tokprobe --help'.\n";
    return 1;
  }
  for (const auto& [command, make] : cli.commands) {
    if (command->parsed()) return make();
  }
  return 1;
}

std::string flags_reference() {
  Cli cli;
  std::string out = "# Command line\n\nGenerated by `tokprobe docs flags`.\n";
  const auto add = [&out](const std::string& title, const CLI::App& app) {
    out += fmt::format("\n## {}\n\n```\n{}```\n", title, app.help());
  };
  add("tokprobe", cli.app);
  for (const auto& [command, make] : cli.commands) {
    add("tokprobe " + command->get_name(), *command);
  }
  return out;
}

}  // namespace tokprobe
