#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "probes/base/timeouts.h"

namespace tokprobe {

enum class Format { kText, kJson };

struct ServeOptions {
  std::string config_file;
  std::vector<std::string> listen_addresses;  ///< empty: the default
  bool enable_lifecycle = false;
  std::string storage_path;
  std::string log_level = "info";
  std::string log_format = "logfmt";
};

struct ProbeOptions {
  std::string url;
  std::string api = "auto";
  std::string model = "auto";
  int max_tokens = 128;
  int input_tokens = 0;  ///< 0: `prompt`
  std::string prompt;
  std::optional<bool> ignore_eos;  ///< default: only with a generated prompt
  Timeouts timeouts;
  int concurrency = 1;
  int requests = 0;  ///< 0: one request, its own document
  std::string api_key_file, ca_file, proxy;
  bool insecure = false;
  bool reuse_connections = false;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string expect;
  std::optional<unsigned long long> seed;
  Format format = Format::kText;
};

struct CheckConfigOptions {
  std::vector<std::string> files;
};

struct AcceptOptions {
  std::string target;
  std::string agent = "http://127.0.0.1:18838";  ///< base URL of the agent's own server
};

struct DocsOptions {
  std::string topic;
};

using Command =
    std::variant<ServeOptions, ProbeOptions, AcceptOptions, CheckConfigOptions, DocsOptions>;

/// A command to carry out, or an exit code after help, version or an error have been printed.
using Parsed = std::variant<Command, int>;

/// Reads the command line. Help and version go to stdout, errors to stderr (exit code 1).
Parsed parse_arguments(int argc, char** argv);

/// The help of every command, as Markdown.
std::string flags_reference();

/// Each carries out one command and returns the exit code: 0 fine, 1 usage or configuration,
/// 2 the probe or the server failed, 130 / 143 interrupted.
int run_serve(const ServeOptions& options);
int run_probe(const ProbeOptions& options);
int run_accept(const AcceptOptions& options);
int run_check_config(const CheckConfigOptions& options);
int run_docs(const DocsOptions& options);

}  // namespace tokprobe
