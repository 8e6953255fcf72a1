#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/config/load.h"

namespace tokprobe {

/// A file under the root of the sources.
std::filesystem::path source_path(std::string_view relative);
/// The files of a folder and its sub-folders with this extension, sorted.
std::vector<std::filesystem::path> files_in(std::string_view folder, std::string_view extension);
std::string read_file(const std::filesystem::path& path);
/// Whether golden files are to be written instead of compared (UPDATE_GOLDEN=1).
bool update_golden();
/// Compares `text` with a file, or writes the file under UPDATE_GOLDEN=1.
void expect_golden(const std::filesystem::path& path, const std::string& text);

Environment environment_of(std::map<std::string, std::string> variables);
inline LoadResult load(std::string_view text) {
  return load_config(text, "f.yml", environment_of({}));
}

/// A configuration file that holds what it should bring, in comments at its top:
/// `# env: NAME=value`, `# expect: 7:5: message` and `# warn: 7:5: message`.
struct AnnotatedFile {
  std::map<std::string, std::string> variables;
  std::vector<std::string> expected;  ///< lines as written, "# expect: .." and "# warn: .."
  std::string text;                   ///< all of the file
  std::string body;                   ///< behind the comments
};
AnnotatedFile read_annotated(const std::filesystem::path& path);
/// The lines that `file` should have at its top, in the form of AnnotatedFile::expected.
std::vector<std::string> annotations(const LoadResult& result);
/// Writes the comments anew from what loading brings (they take lines themselves).
void rewrite_annotations(const std::filesystem::path& path);

}  // namespace tokprobe
