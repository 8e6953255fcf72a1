#include "tests/sim/settings.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/sim/chance.h"

namespace tokprobe_sim {
namespace {

using nlohmann::json;

// A row for a number, text or truth value; `field` is a function from Settings& to the field.
template <typename Field>
Setting number(std::string key, std::string help, double low, double high, Field field) {
  using Value = std::remove_reference_t<decltype(field(std::declval<Settings&>()))>;
  return {std::move(key), std::move(help), false,
          [field](const Settings& s) { return json(field(const_cast<Settings&>(s))); },
          [field, low, high](Settings& s, const json& value) {
            const bool type =
                std::is_integral_v<Value> ? value.is_number_integer() : value.is_number();
            if (!type || value.get<double>() < low || value.get<double>() > high) return false;
            field(s) = value.get<Value>();
            return true;
          }};
}

Setting truth(std::string key, std::string help, bool Settings::*field) {
  return {std::move(key), std::move(help), true,
          [field](const Settings& s) { return json(s.*field); },
          [field](Settings& s, const json& value) {
            if (!value.is_boolean()) return false;
            s.*field = value.get<bool>();
            return true;
          }};
}

Setting words(std::string key, std::string help, std::string Settings::*field) {
  return {std::move(key), std::move(help), false,
          [field](const Settings& s) { return json(s.*field); },
          [field](Settings& s, const json& value) {
            if (!value.is_string()) return false;
            s.*field = value.get<std::string>();
            return true;
          }};
}

template <typename Enum>
Setting choice(std::string key, std::string help, Enum Settings::*field,
               std::vector<std::string> names) {
  return {std::move(key), std::move(help), false,
          [field, names](const Settings& s) { return json(names[static_cast<size_t>(s.*field)]); },
          [field, names](Settings& s, const json& value) {
            for (size_t i = 0; i < names.size(); ++i) {
              if (value != names[i]) continue;
              s.*field = static_cast<Enum>(i);
              return true;
            }
            return false;
          }};
}

Setting decode_row() {
  return {"decode", "tokens/s of one request by number of running requests: 1:73.5,2:70.8,16:40",
          false, [](const Settings& s) { return json(s.engine.decode.text()); },
          [](Settings& s, const json& value) {
            const std::string text = value.is_string()   ? value.get<std::string>()
                                     : value.is_number() ? value.dump()
                                                         : "";
            return DecodeCurve::parse(text, s.engine.decode).empty();
          }};
}

#define FIELD(name) \
  [](Settings & s) -> auto& { return s.name; }

std::vector<Setting> make_table() {
  return {
      number("ttft", "fixed part of the time to first token, s", 0, 1e6, FIELD(engine.ttft)),
      number("prefill_rate", "prompt tokens/s, one prompt after the other; 0: prompts cost nothing",
             0, 1e9, FIELD(engine.prefill_rate)),
      decode_row(),
      number("max_running", "requests in the batch; more wait in a queue", 1, 100000,
             FIELD(engine.max_running)),
      number("jitter", "random share of the times, 0 to 1", 0, 1, FIELD(engine.jitter)),
      number("settle", "time until the batch shrinks after a departure, s", 0, 1e6,
             FIELD(engine.settle)),
      number("seed", "seed of all random choices", 0, 9e15, FIELD(engine.seed)),
      number("tokens_per_chunk", "tokens in an event (the first event has one)", 1, 100000,
             FIELD(tokens_per_chunk)),
      number("early_stop", "probability that an answer without ignore_eos stops early", 0, 1,
             FIELD(early_stop)),
      number("default_tokens", "length of a chat answer when no limit is asked for", 1, 1 << 30,
             FIELD(default_tokens)),
      number("reasoning_tokens", "first tokens of a chat answer, sent as reasoning_content", 0,
             1 << 30, FIELD(reasoning_tokens)),
      number("template_tokens", "tokens that a chat template adds to the prompt", 0, 1 << 20,
             FIELD(template_tokens)),
      number("max_model_len", "limit of prompt and answer together, tokens", 1, 1 << 30,
             FIELD(max_model_len)),
      number("kv_tokens", "size of the pretended KV cache, tokens", 1, 1 << 30, FIELD(kv_tokens)),
      truth("prefix_cache", "reuse blocks of 16 prompt tokens", &Settings::prefix_cache),
      truth("any_model", "accept every model name", &Settings::any_model),
      choice("usage", "when a stream reports usage: never, asked or always", &Settings::usage,
             {"never", "asked", "always"}),
      choice("text", "healthy, exclamation or loop", &Settings::text,
             {"healthy", "exclamation", "loop"}),
      words("model", "name of the model", &Settings::model),
      words("server_version", "version that GET /version reports", &Settings::server_version),
  };
}

#undef FIELD

}  // namespace

const std::vector<Setting>& settings_table() {
  static const std::vector<Setting> table = make_table();
  return table;
}

json to_json(const Settings& settings) {
  json out = json::object();
  for (const Setting& row : settings_table()) out[row.key] = row.get(settings);
  out["faults"] = json::array();
  for (const Fault& fault : settings.faults) out["faults"].push_back(to_json(fault));
  return out;
}

std::string apply_changes(const json& changes, Settings& settings) {
  if (!changes.is_object()) return "settings are a JSON object";
  Settings changed = settings;
  for (const auto& [key, value] : changes.items()) {
    if (key == "faults") {
      if (!value.is_array()) return "faults: a list is needed";
      changed.faults.assign(value.size(), Fault{});
      for (size_t i = 0; i < value.size(); ++i) {
        if (std::string problem = parse_fault(value[i], changed.faults[i]); !problem.empty()) {
          return problem;
        }
      }
      continue;
    }
    const Setting* row = nullptr;
    for (const Setting& candidate : settings_table()) {
      if (candidate.key == key) row = &candidate;
    }
    if (row == nullptr) return fmt::format("unknown setting '{}'", key);
    if (!row->set(changed, value)) {
      return fmt::format("{}: bad value {} ({})", key, value.dump(), row->help);
    }
  }
  settings = std::move(changed);
  return "";
}

SettingsStore::SettingsStore(Settings settings)
    : settings_(std::make_shared<const Settings>(std::move(settings))) {}

std::shared_ptr<const Settings> SettingsStore::get() const {
  const std::lock_guard lock(mutex_);
  return settings_;
}

std::string SettingsStore::update(const json& changes) {
  const std::lock_guard lock(mutex_);
  Settings changed = *settings_;
  std::string problem = apply_changes(changes, changed);
  if (problem.empty()) settings_ = std::make_shared<const Settings>(std::move(changed));
  return problem;
}

void SettingsStore::clear_faults() {
  const std::lock_guard lock(mutex_);
  Settings changed = *settings_;
  changed.faults.clear();
  settings_ = std::make_shared<const Settings>(std::move(changed));
}

std::optional<Fault> SettingsStore::pick_fault(uint64_t id) {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < settings_->faults.size(); ++i) {
    const Fault& fault = settings_->faults[i];
    if (fault.count == 0) continue;
    if (chance(settings_->engine.seed, id, kDrawFault + i) >= fault.probability) continue;
    if (!fault.count) return fault;
    Settings changed = *settings_;
    --*changed.faults[i].count;
    settings_ = std::make_shared<const Settings>(std::move(changed));
    return settings_->faults[i];
  }
  return std::nullopt;
}

}  // namespace tokprobe_sim
