#include "monitor/config/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "probes/base/text.h"

namespace tokprobe {

void ProblemList::add(Mark mark, std::string_view message) {
  if (problems_.size() < kMaxProblems) problems_.push_back({mark, printable(message, 600)});
}

std::vector<Problem> ProblemList::take_sorted() {
  std::stable_sort(problems_.begin(), problems_.end(),
                   [](const Problem& a, const Problem& b) { return a.mark < b.mark; });
  // A table that is used twice through an alias has the same problem twice.
  problems_.erase(std::unique(problems_.begin(), problems_.end()), problems_.end());
  return std::exchange(problems_, {});
}

std::string render_problems(std::string_view file_name, const std::vector<Problem>& problems,
                            std::string_view kind) {
  const std::string file = printable(file_name);
  std::string out;
  for (const Problem& p : problems) {
    out += p.mark.line == 0
               ? fmt::format("{}: {}{}\n", file, kind, p.message)
               : fmt::format("{}:{}:{}: {}{}\n", file, p.mark.line, p.mark.column, kind, p.message);
  }
  return out;
}

}  // namespace tokprobe
