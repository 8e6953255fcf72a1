#include "probes/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace tokprobe {
namespace {

// Length of the well-formed UTF-8 sequence at the front, 0 when there is none.
std::size_t sequence_length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char b = byte(0);
  if (b < 0x80) return 1;
  if (b < 0xC2 || b > 0xF4) return 0;
  const std::size_t n = b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4;
  if (s.size() < n) return 0;
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool overlong = (b == 0xE0 && second < 0xA0) || (b == 0xF0 && second < 0x90);
  const bool outside = (b == 0xED && second > 0x9F) || (b == 0xF4 && second > 0x8F);
  return overlong || outside ? 0 : n;
}

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};
constexpr std::array<Unit, 7> kUnits{{{"d", 86'400'000'000'000},
                                      {"h", 3'600'000'000'000},
                                      {"m", 60'000'000'000},
                                      {"s", 1'000'000'000},
                                      {"ms", 1'000'000},
                                      {"us", 1'000},
                                      {"ns", 1}}};

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row.back();
}

char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t n = sequence_length(text);
    if (n == 0) return false;
    text.remove_prefix(n);
  }
  return true;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  while (!text.empty()) {
    const std::size_t n = sequence_length(text);
    const bool control = n == 1 && (static_cast<unsigned char>(text[0]) < 0x20 || text[0] == 0x7F);
    const bool c1 = n == 2 && text[0] == '\xC2' && static_cast<unsigned char>(text[1]) < 0xA0;
    const std::string_view piece = n == 0          ? "\xEF\xBF\xBD"
                                   : control || c1 ? " "
                                                   : text.substr(0, n);
    if (out.size() + piece.size() > limit) return out + "...";
    out += piece;
    text.remove_prefix(std::max<std::size_t>(n, 1));
  }
  return out;
}

Result<Duration> parse_duration(std::string_view text) {
  const Error bad{"'" + printable(text, 40) + "' is not a duration; write 300ms, 5s, 2m or 6h"};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0 || text.starts_with('-')) {
    return bad;
  }
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const Unit& u : kUnits) {
    if (u.name != unit) continue;
    const double total = number * static_cast<double>(u.nanoseconds);
    if (total > 9e17) return Error{"'" + std::string(text) + "' is too long: at most 28 years"};
    return Duration(std::llround(total));
  }
  return bad;
}

std::string format_duration(Duration d) {
  if (d.count() == 0) return "0s";
  for (const Unit& u : kUnits) {
    if (d.count() % u.nanoseconds == 0) {
      return std::to_string(d.count() / u.nanoseconds) + std::string(u.name);
    }
  }
  return std::to_string(d.count()) + "ns";
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), ascii_lower);
  return out;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

bool iequals(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

std::optional<std::string_view> nearest(std::string_view word, const std::string_view* candidates,
                                        std::size_t count) {
  std::optional<std::string_view> best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t distance = edit_distance(word.substr(0, 64), candidates[i]);
    if (distance < best_distance) {
      best = candidates[i];
      best_distance = distance;
    }
  }
  return best;
}

unsigned long long stable_hash(std::string_view text) {
  unsigned long long h = 14695981039346656037ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return h;
}

}  // namespace tokprobe
