#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/sim/engine.h"
#include "tests/sim/fault.h"
#include "tests/sim/text.h"

namespace tokprobe_sim {

enum class UsageMode { kNever, kAsked, kAlways };

// Everything that can be changed at run time. settings_table() says what each field means.
struct Settings {
  EngineParams engine;
  int tokens_per_chunk = 1;
  double early_stop = 0;
  int default_tokens = 200;
  int reasoning_tokens = 0;
  int template_tokens = 12;
  int max_model_len = 131072;
  int kv_tokens = 262144;
  bool prefix_cache = false;
  bool any_model = false;
  UsageMode usage = UsageMode::kAsked;
  TextMode text = TextMode::kHealthy;
  std::string model = "sim-model";
  std::string server_version = "0.11.0";
  std::string api_key;
  std::vector<Fault> faults;
};

// One setting: the key of /sim/config, and the flag of the command line ('_' becomes '-').
struct Setting {
  std::string key;
  std::string help;
  bool flag;  // takes no value on the command line
  std::function<nlohmann::json(const Settings&)> get;
  std::function<bool(Settings&, const nlohmann::json&)> set;  // false: a wrong type or value
};
const std::vector<Setting>& settings_table();

nlohmann::json to_json(const Settings& settings);  // without the API key
// Changes the settings that `changes` names ("faults" replaces the list). All or nothing; returns
// the problem or "".
std::string apply_changes(const nlohmann::json& changes, Settings& settings);

// The settings in force. Thread-safe; a snapshot never changes.
class SettingsStore {
 public:
  explicit SettingsStore(Settings settings);

  std::shared_ptr<const Settings> get() const;
  std::string update(const nlohmann::json& changes);
  void clear_faults();
  // The first fault that hits this request, or none; counts it.
  std::optional<Fault> pick_fault(uint64_t id);

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Settings> settings_;
};

}  // namespace tokprobe_sim
