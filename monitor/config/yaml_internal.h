#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/config/problem.h"

/// Inside of monitor/config; nothing outside includes this.
namespace tokprobe::config_detail {

/// A YAML node, with aliases already replaced by what they stand for. No type is guessed: `010`,
/// `true` and `5m` are texts until a key says what they should be.
struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kTable };
  Kind kind = Kind::kNull;
  Mark mark;
  std::string text;             ///< of a scalar; of a null as written (`~`, `null` or nothing)
  bool quoted = false;          ///< of a scalar
  std::vector<YamlNode> keys;   ///< of a table, beside `items`; duplicates are kept
  std::vector<YamlNode> items;  ///< of a list or a table
};

/// Reads one document. Bounded in depth and in size after aliases. Nothing when a problem was found
/// that makes the rest unreadable; smaller ones are added and reading goes on.
std::optional<YamlNode> read_yaml(std::string_view text, ProblemList& problems);

/// The checks that come before a YAML parser may see the bytes: size and length of lines, UTF-8,
/// control characters, tabs in indentation, directives. False when there was a problem.
bool check_text(std::string_view text, ProblemList& problems);

/// Offsets of the lines of a text, to turn a byte position into a mark.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text);
  /// Both count from 0 and in bytes; what lies outside of the text is moved to its end.
  Mark mark(int line, int byte_column) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

}  // namespace tokprobe::config_detail
