#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "monitor/config/validate_internal.h"
#include "probes/base/text.h"

namespace tokprobe::config_detail {
namespace {

// `names` belong to paths of the form "targets[3].name".
void check_unique(const std::vector<std::string_view>& names, std::string_view list,
                  std::string_view member, const Marks& marks, ProblemList& problems) {
  std::map<std::string_view, Mark> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    const Mark mark = marks.at(fmt::format("{}[{}]{}", list, i, member));
    const auto [first, fresh] = seen.emplace(names[i], mark);
    if (fresh) continue;
    problems.add(
        mark, fmt::format("{}: '{}' is already used on line {}",
                          member.empty() ? list : member.substr(1), names[i], first->second.line));
  }
}

// The names of the targets; none when one could not be read, as it may be the one that is meant.
std::vector<std::string_view> target_names(const Config& config) {
  std::vector<std::string_view> names;
  for (const TargetConfig& target : config.targets) {
    if (target.name.empty()) return {};
    names.push_back(target.name);
  }
  return names;
}

void check_probe_targets(const Config& config, const Marks& marks, ProblemList& problems) {
  const std::vector<std::string_view> known = target_names(config);
  const std::set<std::string_view> known_set(known.begin(), known.end());
  for (std::size_t p = 0; p < config.probes.size(); ++p) {
    const std::vector<std::string>& names = config.probes[p].targets;
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i].empty()) continue;
      const Mark mark = marks.at(fmt::format("probes[{}].targets[{}]", p, i));
      if (!seen.insert(names[i]).second) {
        problems.add(mark, fmt::format("targets: '{}' stands here twice", names[i]));
      } else if (!known.empty() && known_set.count(names[i]) == 0) {
        problems.add(mark, "targets: there is no target " + Reader::suggest(names[i], known));
      }
    }
  }
}

// Fewer requests than workers: the level would never be reached, and its figures would lie.
void check_requests(const ProbeConfig& probe, std::size_t index, const Marks& marks,
                    ProblemList& problems) {
  const int highest = *std::max_element(probe.concurrency.begin(), probe.concurrency.end());
  if (probe.requests == 0 || probe.requests >= highest) return;
  problems.add(marks.at(fmt::format("probes[{}].requests", index)),
               fmt::format("requests: {} requests cannot reach a concurrency of {}", probe.requests,
                           highest));
}

void check_series_labels(const Config& config, const Marks& marks, ProblemList& problems) {
  std::set<std::string_view> labels;
  for (const TargetConfig& target : config.targets) {
    for (const auto& [name, value] : target.labels) labels.insert(name);
  }
  const std::vector<std::string_view> known(labels.begin(), labels.end());
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < config.series_labels.size(); ++i) {
    const std::string& name = config.series_labels[i];
    names.push_back(name);
    if (name.empty() || labels.count(name) != 0) continue;
    std::string fault = label_name_fault(name);
    if (fault.empty()) fault = "no target has a label " + Reader::suggest(name, known);
    problems.add(marks.at(fmt::format("series_labels[{}]", i)), "series_labels: " + fault);
  }
  check_unique(names, "series_labels", "", marks, problems);
}

bool has_authorization(const TargetConfig& target) {
  return std::any_of(target.headers.begin(), target.headers.end(),
                     [](const auto& header) { return iequals(header.first, "authorization"); });
}

}  // namespace

void find_conflicts(const Config& config, const Marks& marks, ProblemList& problems) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < config.targets.size(); ++i) {
    const TargetConfig& target = config.targets[i];
    names.push_back(target.name);
    if (!target.api_key_file.empty() && has_authorization(target)) {
      problems.add(marks.at(fmt::format("targets[{}].api_key_file", i)),
                   "api_key_file: the headers already hold Authorization; keep one of the two");
    }
  }
  check_unique(names, "targets", ".name", marks, problems);
  names.clear();
  for (std::size_t i = 0; i < config.probes.size(); ++i) {
    names.push_back(config.probes[i].name);
    check_requests(config.probes[i], i, marks, problems);
  }
  check_unique(names, "probes", ".name", marks, problems);
  check_probe_targets(config, marks, problems);
  check_series_labels(config, marks, problems);
}

}  // namespace tokprobe::config_detail
