#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/config/keys_internal.h"
#include "monitor/config/load.h"
#include "monitor/config/yaml_internal.h"

namespace tokprobe::config_detail {

/// Where each value of the file stands, under a path such as `probes[0].timeout.total`, for the
/// checks that look at more than one value.
class Marks {
 public:
  void set(std::string path, Mark mark) { marks_.emplace(std::move(path), mark); }
  bool has(std::string_view path) const { return marks_.find(path) != marks_.end(); }
  /// The place of the value, or of the nearest table around it when the file does not name it.
  Mark at(std::string_view path) const;

 private:
  std::map<std::string, Mark, std::less<>> marks_;
};

/// A value in the file together with what is expected of it. Lives for one call.
struct Field {
  const KeyDoc* doc;
  const YamlNode* node;
  Mark mark;          ///< where to complain: the value, or its key when the value is missing
  std::string path;   ///< for Marks
  std::string shown;  ///< the key as messages name it, `timeout.total`; empty for entries of a list
  bool secret = false;  ///< messages must not show the value
};

/// Whether the text of a node names a variable, so that its value must not be shown.
inline bool has_variable(const YamlNode& node) { return node.text.find("${") != std::string::npos; }

/// Turns nodes into values. Every method that returns nothing has added a problem.
class Reader {
 public:
  Reader(const Environment& environment, ProblemList& problems, Marks& marks)
      : environment_(environment), problems_(problems), marks_(marks) {}

  /// Fills `out` from a table, key by key. Unknown, duplicate and missing keys are problems.
  template <class T>
  void table(const Field& field, std::span<const KeyRow<T>> rows, T& out) {
    std::vector<const KeyDoc*> docs;
    for (const KeyRow<T>& row : rows) docs.push_back(&row.doc);
    for (const Match& m : match(field, docs)) rows[m.row].read(*this, m.field, out);
  }
  /// Calls `each` for the entries of a list, which must hold 1 to limits.max_entries.
  void list(const Field& field, const std::function<void(const Field& entry)>& each);
  /// Calls `each` for a table whose keys are free, up to limits.max_entries if
  /// that is not 0.
  void free_table(const Field& field,
                  const std::function<void(const YamlNode& key, const Field& value)>& each);

  /// A text within the limits, without control characters and blanks at its ends.
  enum class Characters { kPrintable, kAny };
  std::optional<std::string> text(const Field& field, Characters allowed = Characters::kPrintable);
  std::optional<std::string> url(const Field& field);
  std::optional<bool> flag(const Field& field);
  std::optional<int> whole(const Field& field);
  std::optional<double> number(const Field& field);
  std::optional<Duration> duration(const Field& field);
  /// The place of the value in the choices of the field's description.
  std::optional<std::size_t> choice(const Field& field);

  void complain(const Field& field, std::string_view message);
  void complain_at(Mark mark, std::string_view message) { problems_.add(mark, message); }
  /// `'word'` with the nearest candidate if one is close: "'x'; did you mean 'y'?".
  static std::string suggest(std::string_view word,
                             const std::vector<std::string_view>& candidates);

 private:
  struct Entry {
    const YamlNode* key;
    const YamlNode* value;
  };
  struct Match {
    std::size_t row;
    Field field;
  };
  struct Scalar {
    std::string text;
    bool expanded;  ///< holds the value of a variable, which must not be shown
  };

  std::vector<Entry> entries_of(const Field& field);
  std::vector<Match> match(const Field& field, const std::vector<const KeyDoc*>& docs);
  std::optional<Scalar> scalar(const Field& field);
  std::optional<Scalar> unquoted_scalar(const Field& field);
  void expected(const Field& field);
  bool within(const Field& field, double value, bool show);

  const Environment& environment_;
  ProblemList& problems_;
  Marks& marks_;
};

/// Readers of one member, for the rows of the tables.
template <auto Member, class T>
void read_text(Reader& reader, const Field& field, T& out) {
  if (auto value = reader.text(field)) out.*Member = std::move(*value);
}
/// Any UTF-8, for names that are somebody else's and go back to him as they are.
template <auto Member, class T>
void read_foreign_text(Reader& reader, const Field& field, T& out) {
  if (auto value = reader.text(field, Reader::Characters::kAny)) out.*Member = std::move(*value);
}
template <auto Member, class T>
void read_url(Reader& reader, const Field& field, T& out) {
  if (auto value = reader.url(field)) out.*Member = std::move(*value);
}
template <auto Member, class T>
void read_flag(Reader& reader, const Field& field, T& out) {
  if (const auto value = reader.flag(field)) out.*Member = *value;
}
template <auto Member, class T>
void read_whole(Reader& reader, const Field& field, T& out) {
  if (const auto value = reader.whole(field)) out.*Member = *value;
}
template <auto Member, class T>
void read_duration(Reader& reader, const Field& field, T& out) {
  if (const auto value = reader.duration(field)) out.*Member = *value;
}

}  // namespace tokprobe::config_detail
