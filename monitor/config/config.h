#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/base/clock.h"
#include "probes/base/timeouts.h"

namespace tokprobe {

/// What a request must reach. Values in SI units; for `availability` the ratio of requests.
struct Objective {
  std::string name;  ///< a key of kObjectives
  double threshold = 0;
};

/// One server to watch.
struct TargetConfig {
  std::string name;  ///< the `target` label
  std::string url;   ///< as written; may hold credentials: show Url::masked() only
  std::string api = "auto";
  std::string model = "auto";
  std::string api_key_file;                    ///< empty: no key; the file is read at each use
  std::string ca_file;                         ///< PEM; empty: the system's store
  bool insecure = false;                       ///< no certificate check
  std::string proxy;                           ///< empty: none, also when the environment names one
  std::map<std::string, std::string> labels;   ///< into target_info and documents
  std::map<std::string, std::string> headers;  ///< sent with every request; values are secrets
};

/// One kind of run, made at every target it names.
struct ProbeConfig {
  enum class Kind { kSpeed, kCanary };
  std::string name;  ///< the `probe` label
  Kind kind = Kind::kSpeed;
  bool enabled = true;
  Duration interval = std::chrono::minutes(5);
  std::vector<int> concurrency{1};  ///< one run a level, one after the other
  int requests = 0;                 ///< in a run; 0: the level's concurrency
  int input_tokens = 100;
  int output_tokens = 16;
  bool reuse_connections = false;  ///< `connection: reuse`
  Timeouts timeout;
  std::vector<std::string> targets;  ///< names; empty: all
  std::vector<Objective> objectives;

  int requests_at(int level) const { return requests > 0 ? requests : level; }
  bool applies_to(std::string_view target) const;
};

/// Everything a configuration file says, checked and with defaults filled in.
struct Config {
  std::vector<TargetConfig> targets;
  std::vector<std::string> series_labels;  ///< those target labels that every series carries
  std::vector<ProbeConfig> probes;         ///< the enabled and the disabled ones
};

/// The probes of a file without the key `probes`.
std::vector<ProbeConfig> default_probes();

}  // namespace tokprobe
