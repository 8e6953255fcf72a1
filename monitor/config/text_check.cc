#include <fmt/format.h>

#include <algorithm>

#include "monitor/config/load.h"
#include "monitor/config/yaml_internal.h"
#include "probes/base/text.h"

namespace tokprobe::config_detail {
namespace {

constexpr std::string_view kBlank = " \t";
// Columns are counted from the beginning of the line: endless lines would take endless time.
constexpr std::size_t kMaxLineBytes = 20'000;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Byte offset of the first sequence that is not UTF-8.
std::size_t bad_utf8(std::string_view line) {
  std::size_t i = 0;
  while (i < line.size()) {
    std::size_t end = i + 1;
    while (end < line.size() && is_continuation(line[end])) ++end;
    if (!is_utf8(line.substr(i, end - i))) return i;
    i = end;
  }
  return line.size();
}

// yaml-cpp takes byte 4 for the end of the file, so that what follows would be lost in silence.
std::size_t bad_control(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto c = static_cast<unsigned char>(line[i]);
    const bool c1 =
        c == 0xC2 && i + 1 < line.size() && static_cast<unsigned char>(line[i + 1]) < 0xA0;
    if ((c < 0x20 && c != '\t') || c == 0x7F || c1) return i;
  }
  return line.size();
}

struct Fault {
  std::size_t column;
  std::string message;
};

std::optional<Fault> check_line(std::string_view line) {
  if (line.size() > kMaxLineBytes) {
    return Fault{0, fmt::format("a line of more than {} bytes", kMaxLineBytes)};
  }
  if (const std::size_t at = bad_utf8(line); at < line.size()) {
    return Fault{at, fmt::format("byte 0x{:02X} is not UTF-8; save the file as UTF-8",
                                 static_cast<unsigned char>(line[at]))};
  }
  if (const std::size_t at = bad_control(line); at < line.size()) {
    const auto c = static_cast<unsigned char>(line[at]);
    if (c == 0) return Fault{at, "a NUL byte; is this a text file in UTF-8?"};
    // Those above 0x7F take two bytes, of which the second is the code.
    const auto code = c < 0x80 ? c : static_cast<unsigned char>(line[at + 1]);
    return Fault{at, fmt::format("control character U+{:04X}", code)};
  }
  if (line.starts_with('%')) return Fault{0, "YAML directives (%) are not supported"};
  const std::size_t text = line.find_first_not_of(kBlank);
  if (text == std::string_view::npos || line[text] == '#') return std::nullopt;
  // A tab after "- " would move what follows just as one at the beginning does.
  const std::size_t tab = line.find('\t');
  if (tab < line.find_first_not_of(" \t-")) {
    return Fault{tab, "a tab in the indentation; use spaces"};
  }
  return std::nullopt;
}

}  // namespace

LineIndex::LineIndex(std::string_view text) : text_(text), starts_{0} {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') starts_.push_back(i + 1);
  }
}

Mark LineIndex::mark(int line, int byte_column) const {
  const auto row = std::min(static_cast<std::size_t>(std::max(line, 0)), starts_.size() - 1);
  const std::size_t end = row + 1 < starts_.size() ? starts_[row + 1] - 1 : text_.size();
  const std::string_view whole = text_.substr(starts_[row], end - starts_[row]);
  const std::string_view before =
      whole.substr(0, std::min(static_cast<std::size_t>(std::max(byte_column, 0)), whole.size()));
  const auto characters =
      std::count_if(before.begin(), before.end(), [](char c) { return !is_continuation(c); });
  return {static_cast<int>(row) + 1, static_cast<int>(characters) + 1};
}

bool check_text(std::string_view text, ProblemList& problems) {
  if (text.size() > kMaxConfigBytes) {
    problems.add({}, fmt::format("larger than {} MiB", kMaxConfigBytes >> 20));
    return false;
  }
  bool good = true;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (const auto fault = check_line(line)) {
      const Mark mark = LineIndex(line).mark(0, static_cast<int>(fault->column));
      problems.add({number, mark.column}, fault->message);
      good = false;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return good;
}

}  // namespace tokprobe::config_detail
