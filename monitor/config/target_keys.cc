#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "monitor/config/apis.h"
#include "monitor/config/header_names.h"
#include "monitor/config/reader_internal.h"
#include "probes/base/text.h"

namespace tokprobe::config_detail {
namespace {

// Headers that the transport or the dialect writes; a second value would break the request.
void read_api(Reader& reader, const Field& field, TargetConfig& out) {
  const std::optional<std::string> value = reader.text(field);
  if (!value) return;
  std::vector<std::string_view> names;
  std::vector<std::string_view> available;
  for (const ApiName& api : kApiNames) {
    names.push_back(api.name);
    if (api.available) available.push_back(api.name);
  }
  const std::string known = fmt::format("available: {}", fmt::join(available, ", "));
  const auto found = std::find(names.begin(), names.end(), *value);
  if (found == names.end()) {
    // With a variable in it the value must not be shown.
    std::string message = "unknown name";
    if (!has_variable(*field.node)) message += " " + Reader::suggest(*value, names);
    if (!message.ends_with('?')) message += "; " + known;
    return reader.complain(field, message);
  }
  if (!kApiNames[static_cast<std::size_t>(found - names.begin())].available) {
    return reader.complain(field,
                           fmt::format("{} is not available in this version; {}", *found, known));
  }
  out.api = *value;
}

void read_labels(Reader& reader, const Field& field, TargetConfig& out) {
  reader.free_table(field, [&](const YamlNode& key, const Field& value) {
    if (const std::string fault = label_name_fault(key.text); !fault.empty()) {
      return reader.complain_at(key.mark, fault);
    }
    if (auto text = reader.text(value)) out.labels.emplace(key.text, std::move(*text));
  });
}

void read_headers(Reader& reader, const Field& field, TargetConfig& out) {
  // From here on nothing of the file is shown: a slip may have put a key where a name belongs.
  Field secret = field;
  secret.secret = true;
  reader.free_table(secret, [&](const YamlNode& key, const Field& entry) {
    if (const auto problem = header_problem(key.text)) {
      return reader.complain_at(key.mark, "headers: " + *problem);
    }
    const std::string name = lower(key.text);
    const bool twice = std::any_of(out.headers.begin(), out.headers.end(),
                                   [&](const auto& other) { return iequals(other.first, name); });
    if (twice) return reader.complain_at(key.mark, "headers: this header was given before");
    Field value = entry;
    value.shown = field.shown;
    if (auto text = reader.text(value)) out.headers.emplace(key.text, std::move(*text));
  });
}

constexpr std::array<KeyRow<TargetConfig>, 10> kTargetKeys{{
    {{"name", ValueType::kText, "", characters(1, 100),
      "the value of the `target` label; must be unique", true},
     &read_text<&TargetConfig::name>},
    {{"url", ValueType::kUrl, "", characters(1, 2000),
      "the base address of the server, http or https; the path of the API is appended, and a base "
      "that already ends in `/v1` is accepted",
      true},
     &read_url<&TargetConfig::url>},
    {{"api", ValueType::kText, "auto", characters(1, 100),
      "the protocol to speak, see [API names](#api-names); `auto` finds out"},
     &read_api},
    {{"model", ValueType::kText, "auto", characters(1, 200),
      "the model to ask for; `auto` takes the one that the server lists"},
     &read_foreign_text<&TargetConfig::model>},
    {{"api_key_file", ValueType::kPath, "(no key)", characters(1, 4096),
      "a file that holds the API key; read again at each use, so that keys can be rotated; a "
      "relative path counts from the folder of the configuration file"},
     &read_text<&TargetConfig::api_key_file>},
    {{"ca_file", ValueType::kPath, "(the system's)", characters(1, 4096),
      "a PEM file with the certificates to trust; a relative path as above"},
     &read_text<&TargetConfig::ca_file>},
    {{"insecure", ValueType::kFlag, "false", {}, "`true` skips the check of the certificate"},
     &read_flag<&TargetConfig::insecure>},
    {{"proxy", ValueType::kUrl, "(none)", characters(1, 2000),
      "an HTTP proxy; the proxy variables of the environment are not used"},
     &read_url<&TargetConfig::proxy>},
    {{"labels", ValueType::kTextTable, "{}", characters(1, 200, 32),
      "labels of your own, for `tokprobe_target_info` and saved documents"},
     &read_labels},
    {{"headers", ValueType::kTextTable, "{}", characters(1, 4096, 32),
      "headers to send with every request; the values are treated as secrets"},
     &read_headers},
}};

}  // namespace

std::span<const KeyRow<TargetConfig>> target_keys() { return kTargetKeys; }

}  // namespace tokprobe::config_detail
