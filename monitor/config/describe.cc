#include "monitor/config/describe.h"

#include <fmt/format.h>

#include "monitor/config/apis.h"
#include "monitor/config/dump.h"
#include "monitor/config/keys_internal.h"
#include "monitor/config/objectives.h"
#include "probes/base/text.h"

namespace tokprobe {
namespace {

using namespace config_detail;

constexpr std::string_view kIntroduction = R"(# Configuration reference

Printed by `tokprobe docs config`. A file is one YAML document in UTF-8 of at most 4 MiB, no line longer
than 20 kB; check it with `tokprobe check-config FILE`. All problems are reported at once as `file:line:column: message`.

- Unknown and duplicate keys, values of a wrong type or out of range, and a second document are problems.
- Durations are a number and a unit: `300ms`, `5s`, `2m`, `6h`, `7d`. Numbers do not begin with 0.
- `${NAME}` in a value stands for a variable of the environment, which must be set; `$$` stands for `$`.
  What comes in is plain text: it is never read as YAML and never expanded again.
- Texts stand on one line. Tabs in indentation, tags (`!`), `<<` and block texts (`|`, `>`) are not
  supported; anchors and aliases are.
)";

std::string type_of(const KeyDoc& doc) {
  if (doc.type == ValueType::kChoice) return fmt::format("one of {}", doc.choices);
  return std::string(row(doc.type).name);
}

std::string default_of(const KeyDoc& doc) {
  if (doc.required) return "**required**";
  if (doc.default_text.empty()) return "";
  if (doc.default_text.starts_with('(')) {
    return std::string(doc.default_text.substr(1, doc.default_text.size() - 2));
  }
  return fmt::format("`{}`", doc.default_text);
}

std::string line(const KeyDoc& doc) {
  return fmt::format("| `{}` | {} | {} | {} | {} |\n", doc.name, type_of(doc), default_of(doc),
                     describe(doc.limits), doc.help);
}

std::string head(std::string_view title) {
  return fmt::format(
      "\n## {}\n\n| key | type | default | allowed | meaning |\n"
      "| --- | --- | --- | --- | --- |\n",
      title);
}

template <class T>
std::string section(std::string_view title, std::span<const KeyRow<T>> rows) {
  std::string out = head(title);
  for (const KeyRow<T>& row : rows) out += line(row.doc);
  return out;
}

std::string objectives_section() {
  std::string out = head("probes.objectives");
  for (std::size_t i = 0; i < kObjectives.size(); ++i) out += line(objective_doc(i));
  return out;
}

std::string apis_section() {
  std::string out = "\n## API names\n\n| api | in this version |\n| --- | --- |\n";
  for (const ApiName& api : kApiNames) {
    out += fmt::format("| `{}` | {} |\n", api.name, api.available ? "yes" : "no");
  }
  return out;
}

std::string labels_section() {
  std::string out =
      "\n## Label names\n\nLetters, digits and `_`, no digit first, not beginning with `__`, at "
      "most "
      "100 characters. Reserved:\n";
  const auto names = reserved_labels();
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += fmt::format("{}`{}`", i == 0 ? "" : ", ", names[i]);
  }
  return out + ".\n";
}

// The dump of the default set without the targets: what a user would write to get it.
std::string default_set_section() {
  Config config;
  config.probes = default_probes();
  const std::string dump = dump_config(config);
  return "\n## The default set\n\nWithout the key `probes` a file means:\n```yaml\n" +
         dump.substr(dump.find("probes:")) + "```\n";
}

}  // namespace

std::string config_reference_markdown() {
  return std::string(kIntroduction) + section("The file", file_keys()) +
         section("targets", target_keys()) + section("probes", probe_keys()) +
         section("probes.timeout", timeout_keys()) + objectives_section() + apis_section() +
         labels_section() + default_set_section();
}

}  // namespace tokprobe
