#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tokprobe::testing_support {

using LabelSet = std::map<std::string, std::string>;

/// One sample line of a metrics page.
struct Series {
  std::string name;
  LabelSet labels;
  double value = 0;
};

/// A metrics page, read by the rules of Prometheus' text format 0.0.4 and by nothing of the program
/// that wrote it. `problems` tells of every line that breaks a rule: bad names, unknown escapes,
/// samples without a TYPE, series that occur twice.
struct ParsedPage {
  std::map<std::string, std::string> types;  ///< by family
  std::map<std::string, std::string> helps;
  std::vector<Series> series;
  std::vector<std::string> problems;

  /// Series of this name that have at least these labels.
  std::vector<Series> find(std::string_view name, const LabelSet& labels = {}) const;
  /// The value of the only such series; nothing when there is none.
  std::optional<double> value(std::string_view name, const LabelSet& labels = {}) const;
};

ParsedPage parse_page(std::string_view page);

}  // namespace tokprobe::testing_support
