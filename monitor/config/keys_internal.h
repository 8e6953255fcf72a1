#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "monitor/config/config.h"

namespace tokprobe::config_detail {

/// What a key takes. kTypes says how that is called.
enum class ValueType {
  kText,
  kUrl,
  kPath,
  kFlag,
  kWhole,
  kNumber,
  kDuration,
  kChoice,
  kTable,
  kTableList,
  kTextTable,
  kTextList,
  kWholeList,
};

struct TypeRow {
  ValueType type;
  std::string_view name;      ///< in the reference
  std::string_view expected;  ///< in messages, after "expected "
};

inline constexpr std::array<TypeRow, 13> kTypes{{
    {ValueType::kText, "text", "a text"},
    {ValueType::kUrl, "URL", "a URL such as http://127.0.0.1:8000"},
    {ValueType::kPath, "path", "the path of a file"},
    {ValueType::kFlag, "true or false", "true or false"},
    {ValueType::kWhole, "whole number", "a whole number"},
    {ValueType::kNumber, "number", "a number"},
    {ValueType::kDuration, "duration", "a duration such as 300ms, 5s, 2m or 6h"},
    {ValueType::kChoice, "one of these names", "a name"},
    {ValueType::kTable, "table", "a table of keys"},
    {ValueType::kTableList, "list of tables", "a list, every entry beginning with '- '"},
    {ValueType::kTextTable, "table of texts", "a table such as {team: search}"},
    {ValueType::kTextList, "list of texts", "a list such as [a, b]"},
    {ValueType::kWholeList, "list of whole numbers", "a list such as [1, 8]"},
}};
constexpr const TypeRow& row(ValueType type) { return kTypes[static_cast<std::size_t>(type)]; }

/// What values a key allows. `low` and `high` belong to the entries of a list or table.
struct Limits {
  enum class Of { kNothing, kCharacters, kValue, kSeconds };
  Of of = Of::kNothing;
  double low = 0;
  double high = 0;
  int max_entries = 0;  ///< of a list or table
};
constexpr Limits characters(int low, int high, int max_entries = 0) {
  return {Limits::Of::kCharacters, static_cast<double>(low), static_cast<double>(high),
          max_entries};
}
constexpr Limits values(double low, double high, int max_entries = 0) {
  return {Limits::Of::kValue, low, high, max_entries};
}
constexpr Limits durations(Duration low, Duration high) {
  return {Limits::Of::kSeconds, seconds(low), seconds(high), 0};
}
constexpr Limits entries(int max_entries) { return {Limits::Of::kNothing, 0, 0, max_entries}; }
/// "1 to 1,024; at most 16 entries". Empty when there is no limit.
std::string describe(const Limits& limits);
/// The same for one value: "1 to 1,024".
std::string describe_value(const Limits& limits);

/// A key as a person sees it.
struct KeyDoc {
  std::string_view name;
  ValueType type;
  std::string_view default_text;  ///< YAML, or prose in parentheses; empty: none
  Limits limits;
  std::string_view help;
  bool required = false;
  std::string_view choices = {};  ///< names, separated by ", "
};

class Reader;
struct Field;

/// One key of a table that is read into a T: how it is described and how it is read.
template <class T>
struct KeyRow {
  KeyDoc doc;
  void (*read)(Reader& reader, const Field& field, T& out);
};

/// The tables. They drive reading, the suggestions for unknown keys and the reference.
std::span<const KeyRow<Config>> file_keys();
std::span<const KeyRow<TargetConfig>> target_keys();
std::span<const KeyRow<ProbeConfig>> probe_keys();
std::span<const KeyRow<Timeouts>> timeout_keys();
/// How an objective is written, from its row in kObjectives.
KeyDoc objective_doc(std::size_t index);

/// A label name that users may choose: Prometheus-valid and not one of our own. Else what is wrong.
std::string label_name_fault(std::string_view name);
/// The label names that our own metrics and Prometheus use.
std::span<const std::string_view> reserved_labels();

}  // namespace tokprobe::config_detail
