#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "probes/base/version.h"

namespace tokprobe::testing_support {

/// True when this run is to write the expected files instead of comparing with them.
inline bool updating_golden() {
  const char* value = std::getenv("UPDATE_GOLDEN");
  return value != nullptr && std::string_view(value) == "1";
}

inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The lines between the common beginning and the common end, expected ones with '-', others '+'.
inline std::string difference(std::string_view expected, std::string_view actual) {
  constexpr std::ptrdiff_t kMost = 40;
  const auto before = lines_of(expected);
  const auto after = lines_of(actual);
  const auto [b, a] = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
  const auto [rb, ra] = std::mismatch(before.rbegin(), std::make_reverse_iterator(b),
                                      after.rbegin(), std::make_reverse_iterator(a));
  std::ostringstream out;
  out << "from line " << b - before.begin() + 1 << " on (- expected, + actual):\n";
  for (auto i = b; i != rb.base() && i - b < kMost; ++i) out << "- " << *i << "\n";
  for (auto i = a; i != ra.base() && i - a < kMost; ++i) out << "+ " << *i << "\n";
  if (b == rb.base() && a == ra.base()) out << "the files differ in their last line end only\n";
  return out.str();
}

/// Compares `actual` with a file, or writes the file under UPDATE_GOLDEN=1.
inline void expect_same_as_file(const std::filesystem::path& path, const std::string& actual) {
  if (updating_golden()) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing; run again with UPDATE_GOLDEN=1 to write it";
  const std::string expected{std::istreambuf_iterator<char>(file), {}};
  if (expected == actual) return;
  ADD_FAILURE() << path << " differs " << difference(expected, actual)
                << "if this is meant, run again with UPDATE_GOLDEN=1 and look at what changed";
}

/// What a person or a machine will read, against tests/data/golden/NAME.
inline void expect_golden(const std::string& name, const std::string& actual) {
  expect_same_as_file(std::filesystem::path(TOKPROBE_GOLDEN) / name, actual);
}

inline std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

/// The same text for every version and revision: `before` and `after` are what stands around each.
inline std::string without_version(std::string text, const std::string& before,
                                   const std::string& after) {
  return replaced(std::move(text), before + std::string(version()) + after,
                  before + "VERSION" + after);
}
inline std::string without_revision(std::string text, const std::string& before,
                                    const std::string& after) {
  return replaced(std::move(text), before + std::string(revision()) + after,
                  before + "REVISION" + after);
}

}  // namespace tokprobe::testing_support
