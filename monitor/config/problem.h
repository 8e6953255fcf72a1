#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tokprobe {

/// A place in a configuration file. Lines and columns count from 1, columns in characters; line 0
/// stands for the file as a whole.
struct Mark {
  int line = 0;
  int column = 0;
  auto operator<=>(const Mark&) const = default;
};

/// What is wrong at a place, in words for a person. Never holds a secret or a control character.
struct Problem {
  Mark mark;
  std::string message;
  bool operator==(const Problem&) const = default;
};

/// Collects problems. Keeps the first kMaxProblems: a hostile file cannot make a hostile report.
class ProblemList {
 public:
  static constexpr std::size_t kMaxProblems = 1000;

  void add(Mark mark, std::string_view message);
  bool empty() const { return problems_.empty(); }
  /// The problems in the order of the file, each once. The list is empty afterwards.
  std::vector<Problem> take_sorted();

 private:
  std::vector<Problem> problems_;
};

/// One line a problem: `file:line:column: message`, with `kind` ("", "warning: ") before the
/// message.
std::string render_problems(std::string_view file_name, const std::vector<Problem>& problems,
                            std::string_view kind = "");

}  // namespace tokprobe
