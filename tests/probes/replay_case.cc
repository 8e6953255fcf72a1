#include "tests/probes/replay_case.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "probes/base/text.h"

namespace tokprobe {
namespace {

using nlohmann::json;

// A slip in a key must not switch off a part of a case.
void allow_only(const json& object, const std::set<std::string>& keys) {
  for (const auto& [key, value] : object.items()) {
    if (!keys.contains(key)) throw std::runtime_error("unknown key " + key);
  }
}

Duration milliseconds(const json& object, const char* key) {
  return Duration(std::llround(object.value(key, 0.0) * 1e6));
}

std::string from_base64(const std::string& text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    const auto digit = kDigits.find(c);
    if (digit == std::string_view::npos) throw std::runtime_error("not base64");
    bits = bits << 6U | static_cast<unsigned>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> static_cast<unsigned>(count) & 0xFFU);
  }
  return bytes;
}

Script::Read read_of(const json& read) {
  allow_only(read, {"at_ms", "text", "base64", "repeat", "after"});
  std::string bytes = read.value("text", "") + from_base64(read.value("base64", ""));
  if (read.contains("repeat")) {
    const json& repeat = read["repeat"];
    allow_only(repeat, {"text", "times"});
    for (int i = 0; i < repeat.at("times").get<int>(); ++i) bytes += repeat.at("text");
  }
  bytes += read.value("after", "");
  return {milliseconds(read, "at_ms"), std::move(bytes)};
}

void set_end(const std::string& end, Script& script) {
  constexpr std::array<std::pair<std::string_view, TransferEnd>, 7> kEnds{
      {{"complete", TransferEnd::kComplete},
       {"dns", TransferEnd::kDns},
       {"connect", TransferEnd::kConnect},
       {"tls", TransferEnd::kTls},
       {"reset", TransferEnd::kReset},
       {"truncated", TransferEnd::kTruncated},
       {"protocol", TransferEnd::kProtocol}}};
  script.hangs = end == "hang";
  script.connects = end != "dns" && end != "connect" && end != "tls";
  if (script.hangs) return;
  const auto* row =
      std::find_if(kEnds.begin(), kEnds.end(), [&](auto& e) { return e.first == end; });
  if (row == kEnds.end()) throw std::runtime_error("unknown end " + end);
  script.end = row->second;
}

Script script_of(const json& response) {
  allow_only(response, {"dns_ms", "connect_ms", "tls_ms", "status", "headers", "head_at_ms",
                        "reads", "end", "end_at_ms", "detail"});
  Script script;
  script.dns = milliseconds(response, "dns_ms");
  script.connect = milliseconds(response, "connect_ms");
  if (response.contains("tls_ms")) script.tls = milliseconds(response, "tls_ms");
  if (response.contains("status")) {
    HttpHead head;
    head.status = response["status"];
    for (const auto& [name, value] : response.at("headers").items()) {
      head.headers.emplace_back(name, value.get<std::string>());
    }
    script.head = head;
    script.head_at = milliseconds(response, "head_at_ms");
  }
  for (const json& read : response.value("reads", json::array()))
    script.reads.push_back(read_of(read));
  set_end(response.value("end", "complete"), script);
  script.end_at = milliseconds(response, "end_at_ms");
  script.detail = response.value("detail", "");
  return script;
}

Asked asked_of(const json& file) {
  Asked asked;
  const json& given = file.value("asked", json::object());
  allow_only(given, {"input_tokens", "output_tokens", "connect", "first_token", "stall", "total"});
  asked.api = find_dialect(file.value("api", "openai-chat"))->name;
  asked.input_tokens = given.value("input_tokens", 0);
  asked.output_tokens = given.value("output_tokens", 64);
  const auto time = [&](const char* key, const char* otherwise) {
    return parse_duration(given.value(key, otherwise)).value();
  };
  asked.timeouts = {time("connect", "1s"), time("first_token", "2s"), time("stall", "1s"),
                    time("total", "6s")};
  return asked;
}

ReplayCase case_of(const std::filesystem::path& path) try {
  std::ifstream in(path);
  const json file = json::parse(in);
  allow_only(file, {"what", "api", "asked", "response", "expect"});
  if (file.at("what").get<std::string>().empty()) throw std::runtime_error("says nothing");
  return {path.stem().string(), script_of(file.at("response")), asked_of(file), file.at("expect")};
} catch (const std::exception& e) {
  throw std::runtime_error(path.filename().string() + ": " + e.what());
}

json nanoseconds(const std::optional<Duration>& d) { return d ? json(d->count()) : json(nullptr); }
template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

}  // namespace

std::vector<ReplayCase> replay_cases() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(TOKPROBE_DATA "/replay")) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<ReplayCase> cases;
  for (const auto& path : paths) cases.push_back(case_of(path));
  return cases;
}

json facts_of(const ProbeResult& r) {
  json phases;
  phases["dns"] = nanoseconds(r.phases.dns);
  phases["connect"] = nanoseconds(r.phases.connect);
  phases["tls"] = nanoseconds(r.phases.tls);
  phases["first_token"] = nanoseconds(r.phases.first_token);
  phases["generation"] = nanoseconds(r.phases.generation);
  phases["close"] = nanoseconds(r.phases.close);
  return {
      {"ok", r.ok()},
      {"reason", label(r.reason)},
      {"detail", r.detail.empty() ? json(nullptr) : json(r.detail)},
      {"http_status", or_null(r.http_status)},
      {"streamed", r.streamed},
      {"ttft_seconds", nanoseconds(r.timing.ttft)},
      {"time_to_first_answer_seconds", nanoseconds(r.timing.first_answer)},
      {"last_token_seconds", nanoseconds(r.timing.last_token)},
      {"duration_seconds", nanoseconds(r.duration)},
      {"tpot_seconds", nanoseconds(r.timing.tpot)},
      {"output_tokens", r.timing.output_tokens},
      {"token_source", label(r.timing.token_source)},
      {"prompt_tokens", or_null(r.prompt_tokens)},
      {"cached_prompt_tokens", or_null(r.cached_prompt_tokens)},
      {"reasoning_tokens", or_null(r.reasoning_tokens)},
      {"finish_reason", or_null(r.finish_reason)},
      {"text", r.text},
      {"reasoning_text", r.reasoning_text},
      {"tool_arguments", r.tool_arguments},
      {"retry_after_seconds",
       r.retry_after_seconds ? json(std::llround(*r.retry_after_seconds * 1e9)) : json(nullptr)},
      {"chunks", r.arrivals.size()},
      {"inter_chunk_max_seconds", nanoseconds(r.timing.gap_max)},
      {"warnings", warnings_of(r)},
      {"phases", phases}};
}

json in_nanoseconds(const json& expect) {
  const auto convert = [](const json& v) {
    return v.is_number() ? json(std::llround(v.get<double>() * 1e9)) : v;
  };
  json out = expect;
  for (auto& [key, value] : out.items()) {
    if (key.ends_with("_seconds")) value = convert(value);
  }
  if (out.contains("phases")) {
    for (auto& [key, value] : out["phases"].items()) value = convert(value);
  }
  return out;
}

}  // namespace tokprobe
