#include "tests/monitor/page.h"

#include <algorithm>
#include <regex>
#include <set>
#include <stdexcept>

#include "tests/monitor/golden.h"

namespace tokprobe::testing_support {
namespace {

const std::regex kMetricName("[a-zA-Z_:][a-zA-Z0-9_:]*");
const std::regex kLabelName("[a-zA-Z_][a-zA-Z0-9_]*");

std::string take_name(std::string_view& rest, std::string_view stop, const std::regex& rule) {
  std::string name(rest.substr(0, rest.find_first_of(stop)));
  if (!std::regex_match(name, rule)) throw std::runtime_error("bad name '" + name + "'");
  rest.remove_prefix(name.size());
  return name;
}

void take(std::string_view& rest, char c) {
  if (rest.empty() || rest.front() != c) throw std::runtime_error(std::string("no ") + c);
  rest.remove_prefix(1);
}

std::string take_quoted(std::string_view& rest) {
  std::string out;
  take(rest, '"');
  while (!rest.empty() && rest.front() != '"') {
    char c = rest.front();
    rest.remove_prefix(1);
    if (c == '\\') {
      if (rest.empty()) break;
      const char escaped = rest.front();
      rest.remove_prefix(1);
      if (escaped != 'n' && escaped != '"' && escaped != '\\') throw std::runtime_error("escape");
      c = escaped == 'n' ? '\n' : escaped;
    }
    out += c;
  }
  take(rest, '"');
  return out;
}

LabelSet take_labels(std::string_view& rest) {
  LabelSet labels;
  if (rest.empty() || rest.front() != '{') return labels;
  do {
    rest.remove_prefix(1);
    if (!rest.empty() && rest.front() == '}') break;
    const std::string name = take_name(rest, "=", kLabelName);
    if (name.starts_with("__")) throw std::runtime_error("reserved label " + name);
    take(rest, '=');
    if (!labels.emplace(name, take_quoted(rest)).second) {
      throw std::runtime_error("label twice: " + name);
    }
  } while (!rest.empty() && rest.front() == ',');
  take(rest, '}');
  return labels;
}

std::string family_of(const std::string& name, const std::map<std::string, std::string>& types) {
  if (types.contains(name)) return name;
  for (const std::string_view suffix : {"_bucket", "_sum", "_count"}) {
    if (!name.ends_with(suffix)) continue;
    const std::string base = name.substr(0, name.size() - suffix.size());
    if (types.contains(base) && types.at(base) == "histogram") return base;
  }
  throw std::runtime_error("no TYPE before " + name);
}

void read_comment(std::string_view line, ParsedPage& out) {
  const bool help = line.starts_with("# HELP ");
  if (!help && !line.starts_with("# TYPE ")) throw std::runtime_error("a comment");
  line.remove_prefix(7);
  const std::string name = take_name(line, " ", kMetricName);
  take(line, ' ');
  auto& into = help ? out.helps : out.types;
  if (!into.emplace(name, std::string(line)).second) throw std::runtime_error("family twice");
}

void read_sample(std::string_view line, ParsedPage& out) {
  Series series;
  series.name = take_name(line, "{ ", kMetricName);
  family_of(series.name, out.types);
  series.labels = take_labels(line);
  take(line, ' ');
  std::size_t used = 0;
  series.value = std::stod(std::string(line), &used);
  if (used != line.size()) throw std::runtime_error("bad value");
  out.series.push_back(std::move(series));
}

}  // namespace

std::vector<Series> ParsedPage::find(std::string_view name, const LabelSet& labels) const {
  std::vector<Series> found;
  std::copy_if(series.begin(), series.end(), std::back_inserter(found), [&](const Series& s) {
    return s.name == name && std::all_of(labels.begin(), labels.end(), [&](const auto& label) {
             const auto at = s.labels.find(label.first);
             return at != s.labels.end() && at->second == label.second;
           });
  });
  return found;
}

std::optional<double> ParsedPage::value(std::string_view name, const LabelSet& labels) const {
  const auto found = find(name, labels);
  if (found.size() > 1) throw std::logic_error("several series of " + std::string(name));
  return found.empty() ? std::nullopt : std::optional(found.front().value);
}

ParsedPage parse_page(std::string_view page) {
  ParsedPage out;
  std::set<std::pair<std::string, LabelSet>> seen;
  for (const std::string& line : lines_of(page)) {
    try {
      if (line.starts_with("#")) {
        read_comment(line, out);
        continue;
      }
      read_sample(line, out);
      if (!seen.emplace(out.series.back().name, out.series.back().labels).second) {
        throw std::runtime_error("series twice");
      }
    } catch (const std::exception& e) {
      out.problems.push_back(std::string(e.what()) + " in: " + line);
    }
  }
  if (!page.ends_with("\n")) out.problems.emplace_back("no line end at the end");
  return out;
}

}  // namespace tokprobe::testing_support
