#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "monitor/config/validate_internal.h"
#include "probes/base/text.h"
#include "probes/base/url.h"

namespace tokprobe::config_detail {
namespace {

bool is_loopback(const Url& url) {
  const std::string authority = lower(url.authority);
  if (authority.starts_with("[::1]")) return true;
  const std::string_view host = std::string_view(authority).substr(0, authority.find(':'));
  return host == "localhost" || host.ends_with(".localhost") || host.starts_with("127.");
}

bool carries_secret(const TargetConfig& target, const Url& url) {
  return !target.api_key_file.empty() || !url.userinfo.empty() ||
         std::any_of(target.headers.begin(), target.headers.end(),
                     [](const auto& h) { return iequals(h.first, "authorization"); });
}

void doubt_target(const TargetConfig& target, const std::string& path, const Marks& marks,
                  ProblemList& warnings) {
  const Result<Url> url = parse_url(target.url);
  if (!url) return;
  const bool https = url->scheme == "https";
  if (target.insecure && https) {
    warnings.add(marks.at(path + ".insecure"),
                 "insecure: the certificate is not checked; anyone in between can read and change "
                 "what is sent");
  }
  if (target.insecure && !https) {
    warnings.add(marks.at(path + ".insecure"), "insecure: has no effect on an http URL");
  }
  if (!target.ca_file.empty() && !https) {
    warnings.add(marks.at(path + ".ca_file"), "ca_file: has no effect on an http URL");
  }
  if (!https && !is_loopback(*url) && carries_secret(target, *url)) {
    warnings.add(marks.at(path + ".url"),
                 "url: the API key is sent over plain http, readable on the way");
  }
}

void doubt_duplicates(const Config& config, const Marks& marks, ProblemList& warnings) {
  std::map<std::string, std::string_view> seen;
  for (std::size_t i = 0; i < config.targets.size(); ++i) {
    const TargetConfig& target = config.targets[i];
    const Result<Url> url = parse_url(target.url);
    if (!url) continue;
    // A gateway may serve several models under one address.
    const std::string key =
        fmt::format("{}://{}{} {}", url->scheme, lower(url->authority), url->path, target.model);
    const auto [first, fresh] = seen.emplace(key, target.name);
    if (fresh) continue;
    warnings.add(marks.at(fmt::format("targets[{}].url", i)),
                 fmt::format("url: the same server and model as target '{}'", first->second));
  }
}

// The longest that the runs of one turn can take: workers go through the requests in rounds.
Duration longest_turn(const ProbeConfig& probe) {
  Duration sum{};
  for (const int level : probe.concurrency) {
    sum += probe.timeout.total * ((probe.requests_at(level) + level - 1) / level);
  }
  return sum;
}

void doubt_probe(const ProbeConfig& probe, const std::string& path, const Marks& marks,
                 ProblemList& warnings) {
  if (const Duration turn = longest_turn(probe); probe.enabled && turn > probe.interval) {
    const std::string at =
        path + (marks.has(path + ".timeout.total") ? ".timeout.total" : ".interval");
    warnings.add(
        marks.at(at),
        fmt::format("timeout.total: on a slow server the runs may take {}, longer than the "
                    "interval of {}; runs would be skipped",
                    format_duration(turn), format_duration(probe.interval)));
  }
  const std::pair<std::string_view, Duration> parts[] = {{"connect", probe.timeout.connect},
                                                         {"first_token", probe.timeout.first_token},
                                                         {"stall", probe.timeout.stall}};
  for (const auto& [name, value] : parts) {
    const std::string at = fmt::format("{}.timeout.{}", path, name);
    if (!marks.has(at) || value <= probe.timeout.total) continue;
    warnings.add(marks.at(at), fmt::format("timeout.{}: never reached, timeout.total is {}", name,
                                           format_duration(probe.timeout.total)));
  }
}

}  // namespace

void find_doubts(const Config& config, const Marks& marks, ProblemList& warnings) {
  for (std::size_t i = 0; i < config.targets.size(); ++i) {
    doubt_target(config.targets[i], fmt::format("targets[{}]", i), marks, warnings);
  }
  doubt_duplicates(config, marks, warnings);
  for (std::size_t i = 0; i < config.probes.size(); ++i) {
    doubt_probe(config.probes[i], fmt::format("probes[{}]", i), marks, warnings);
  }
}

}  // namespace tokprobe::config_detail
