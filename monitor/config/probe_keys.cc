#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "monitor/config/objectives.h"
#include "monitor/config/reader_internal.h"

namespace tokprobe::config_detail {
namespace {

using namespace std::chrono_literals;

void read_concurrency(Reader& reader, const Field& field, ProbeConfig& out) {
  std::vector<int> levels;
  reader.list(field, [&](const Field& entry) {
    const std::optional<int> level = reader.whole(entry);
    if (!level) return;
    if (std::find(levels.begin(), levels.end(), *level) != levels.end()) {
      return reader.complain(entry, fmt::format("{} stands here twice", *level));
    }
    levels.push_back(*level);
  });
  if (!levels.empty()) out.concurrency = std::move(levels);
}

void read_probe_targets(Reader& reader, const Field& field, ProbeConfig& out) {
  // A name that could not be read stays as an empty one: places must agree with the file.
  reader.list(field,
              [&](const Field& entry) { out.targets.push_back(reader.text(entry).value_or("")); });
}

void read_timeout(Reader& reader, const Field& field, ProbeConfig& out) {
  reader.table(field, timeout_keys(), out.timeout);
}

void read_objectives(Reader& reader, const Field& field, ProbeConfig& out) {
  reader.free_table(field, [&](const YamlNode& key, const Field& value) {
    const ObjectiveRow* row = find_objective(key.text);
    if (row == nullptr) {
      std::vector<std::string_view> names;
      for (const ObjectiveRow& known : kObjectives) names.push_back(known.key);
      std::string message = "unknown objective " + Reader::suggest(key.text, names);
      if (!message.ends_with('?')) message += fmt::format("; known: {}", fmt::join(names, ", "));
      return reader.complain_at(key.mark, message);
    }
    const KeyDoc doc = objective_doc(static_cast<std::size_t>(row - kObjectives.data()));
    Field field_of_row = value;
    field_of_row.doc = &doc;
    std::optional<double> threshold;
    if (row->unit == ObjectiveUnit::kDuration) {
      if (const auto d = reader.duration(field_of_row)) threshold = seconds(*d);
    } else {
      threshold = reader.number(field_of_row);
    }
    if (threshold) out.objectives.push_back({key.text, *threshold});
  });
}

void read_kind(Reader& reader, const Field& field, ProbeConfig& out) {
  const std::optional<std::size_t> kind = reader.choice(field);
  if (kind == 1U) reader.complain(field, "canary comes with a later version");
  out.kind = ProbeConfig::Kind::kSpeed;
}

void read_connection(Reader& reader, const Field& field, ProbeConfig& out) {
  if (const auto choice = reader.choice(field)) out.reuse_connections = *choice == 1;
}

constexpr std::array<KeyRow<Timeouts>, 4> kTimeoutKeys{{
    {{"connect", ValueType::kDuration, "5s", durations(1ms, 1h),
      "until the connection stands: name, TCP and TLS together"},
     &read_duration<&Timeouts::connect>},
    {{"first_token", ValueType::kDuration, "1m", durations(1ms, 24h),
      "from sending the request to its first token"},
     &read_duration<&Timeouts::first_token>},
    {{"stall", ValueType::kDuration, "30s", durations(1ms, 24h),
      "silence once tokens have begun to come"},
     &read_duration<&Timeouts::stall>},
    {{"total", ValueType::kDuration, "5m", durations(1ms, 24h), "the whole request"},
     &read_duration<&Timeouts::total>},
}};

constexpr std::array<KeyRow<ProbeConfig>, 12> kProbeKeys{{
    {{"name", ValueType::kText, "", characters(1, 100),
      "the value of the `probe` label; must be unique", true},
     &read_text<&ProbeConfig::name>},
    {{"enabled",
      ValueType::kFlag,
      "true",
      {},
      "`false` keeps the probe in the file but never runs it"},
     &read_flag<&ProbeConfig::enabled>},
    {{"kind",
      ValueType::kChoice,
      "speed",
      {},
      "what is looked at; `canary` (known answers) comes with a later version",
      false,
      "speed, canary"},
     &read_kind},
    {{"targets", ValueType::kTextList, "(all)", characters(1, 100, 10'000),
      "the names of the targets to probe"},
     &read_probe_targets},
    {{"interval", ValueType::kDuration, "5m", durations(1s, 168h),
      "the time from the start of a run to the start of the next"},
     &read_duration<&ProbeConfig::interval>},
    {{"concurrency", ValueType::kWholeList, "[1]", values(1, 1024, 16),
      "levels of concurrent requests; one run a level, one after the other"},
     &read_concurrency},
    {{"requests", ValueType::kWhole, "(the level)", values(1, 100'000),
      "the requests of a run; not fewer than the highest level"},
     &read_whole<&ProbeConfig::requests>},
    {{"input_tokens", ValueType::kWhole, "100", values(1, 1'000'000), "the length of the prompt"},
     &read_whole<&ProbeConfig::input_tokens>},
    {{"output_tokens", ValueType::kWhole, "16", values(1, 100'000),
      "the length asked of the answer"},
     &read_whole<&ProbeConfig::output_tokens>},
    {{"connection",
      ValueType::kChoice,
      "fresh",
      {},
      "`fresh` opens a connection for every request, `reuse` keeps one for each worker",
      false,
      "fresh, reuse"},
     &read_connection},
    {{"timeout", ValueType::kTable, "{}", {}, "see [timeout](#probestimeout)"}, &read_timeout},
    {{"objectives",
      ValueType::kTable,
      "{}",
      {},
      "what a request must reach, see [objectives](#probesobjectives); violations are counted"},
     &read_objectives},
}};

}  // namespace

std::span<const KeyRow<ProbeConfig>> probe_keys() { return kProbeKeys; }
std::span<const KeyRow<Timeouts>> timeout_keys() { return kTimeoutKeys; }

KeyDoc objective_doc(std::size_t index) {
  const ObjectiveRow& row = kObjectives[index];
  switch (row.unit) {
    case ObjectiveUnit::kDuration:
      return {row.key, ValueType::kDuration, "", durations(100us, 24h), row.help};
    case ObjectiveUnit::kRate:
      return {row.key, ValueType::kNumber, "", values(0.01, 100'000), row.help};
    case ObjectiveUnit::kRatio:
      break;
  }
  return {row.key, ValueType::kNumber, "", values(0.01, 0.99999), row.help};
}

}  // namespace tokprobe::config_detail
