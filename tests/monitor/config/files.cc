#include "files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

namespace tokprobe {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnvironment = "# env: ";
constexpr std::string_view kExpect = "# expect: ";
constexpr std::string_view kWarn = "# warn: ";

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string top_of(const AnnotatedFile& file, const std::vector<std::string>& lines) {
  std::string out;
  for (const auto& [name, value] : file.variables) {
    out += std::string(kEnvironment) + name + "=" + value + "\n";
  }
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

}  // namespace

fs::path source_path(std::string_view relative) { return fs::path(TOKPROBE_SOURCE) / relative; }

std::vector<fs::path> files_in(std::string_view folder, std::string_view extension) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(source_path(folder))) {
    if (entry.path().extension() == extension) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool update_golden() { return std::getenv("UPDATE_GOLDEN") != nullptr; }

void expect_golden(const fs::path& path, const std::string& text) {
  if (update_golden()) write_file(path, text);
  EXPECT_EQ(read_file(path), text) << path << ": refresh with UPDATE_GOLDEN=1";
}

Environment environment_of(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

AnnotatedFile read_annotated(const fs::path& path) {
  AnnotatedFile file;
  file.text = read_file(path);
  std::string_view rest = file.text;
  while (true) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.starts_with(kEnvironment)) {
      const std::string pair(line.substr(kEnvironment.size()));
      file.variables[pair.substr(0, pair.find('='))] = pair.substr(pair.find('=') + 1);
    } else if (line.starts_with(kExpect) || line.starts_with(kWarn)) {
      file.expected.emplace_back(line);
    } else {
      break;
    }
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  file.body = rest;
  return file;
}

std::vector<std::string> annotations(const LoadResult& result) {
  std::vector<std::string> out;
  const auto add = [&](std::string_view kind, const std::vector<Problem>& problems) {
    for (const Problem& p : problems) {
      std::ostringstream line;
      line << kind << p.mark.line << ":" << p.mark.column << ": " << p.message;
      out.push_back(line.str());
    }
  };
  add(kExpect, result.problems);
  add(kWarn, result.warnings);
  return out;
}

void rewrite_annotations(const fs::path& path) {
  const AnnotatedFile file = read_annotated(path);
  std::vector<std::string> lines = file.expected;
  for (int i = 0; i < 3; ++i) {
    const LoadResult result =
        load_config(top_of(file, lines) + file.body, "f", environment_of(file.variables));
    lines = annotations(result);
  }
  write_file(path, top_of(file, lines) + file.body);
}

}  // namespace tokprobe
