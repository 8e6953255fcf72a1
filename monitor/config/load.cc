#include "monitor/config/load.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include "monitor/config/reader_internal.h"
#include "monitor/config/validate_internal.h"
#include "probes/base/result.h"

namespace tokprobe {
namespace {

using namespace config_detail;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr KeyDoc kRoot{"", ValueType::kTable, "", {}, ""};

constexpr std::string_view kExample = R"(targets:
  - name: my-server
    url: http://127.0.0.1:8000
)";

std::optional<Config> read(std::string_view text, const Environment& environment,
                           ProblemList& problems, ProblemList& warnings) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (!check_text(text, problems)) return std::nullopt;
  const std::optional<YamlNode> root = read_yaml(text, problems);
  if (!root || (root->kind == YamlNode::Kind::kNull)) {
    if (problems.empty()) problems.add({1, 1}, "the file is empty; the key 'targets' is needed");
    return std::nullopt;
  }
  Marks marks;
  marks.set("", root->mark);
  Config config;
  Reader reader(environment, problems, marks);
  reader.table(Field{&kRoot, &*root, root->mark, "", ""}, file_keys(), config);
  find_conflicts(config, marks, problems);
  if (!problems.empty()) return std::nullopt;
  if (!marks.has("probes")) config.probes = default_probes();
  find_doubts(config, marks, warnings);
  return config;
}

std::string system_error() {
  return fmt::format("cannot be read: {}", std::generic_category().message(errno));
}

// At most one byte more than is allowed: enough to know that it is too much.
Result<std::string> read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             &std::fclose);
  if (!file) return Error{system_error()};
  std::string text(kMaxConfigBytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) return Error{system_error()};
  return text;
}

// Prometheus' rule: paths in a file count from the folder of that file.
void resolve_paths(Config& config, const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  for (TargetConfig& target : config.targets) {
    for (std::string* path : {&target.api_key_file, &target.ca_file}) {
      if (!path->empty()) *path = (folder / *path).string();
    }
  }
}

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

std::string LoadResult::report() const {
  return render_problems(file_name, problems) + render_problems(file_name, warnings, "warning: ");
}

LoadResult load_config(std::string_view text, std::string_view file_name,
                       const Environment& environment) {
  ProblemList problems;
  ProblemList warnings;
  LoadResult result;
  result.file_name = file_name;
  result.config = read(text, environment, problems, warnings);
  result.problems = problems.take_sorted();
  result.warnings = warnings.take_sorted();
  return result;
}

LoadResult load_config_file(const std::string& path, const Environment& environment) {
  const Result<std::string> text = read_file(path);
  if (text) {
    LoadResult result = load_config(*text, path, environment);
    if (result.config) resolve_paths(*result.config, path);
    return result;
  }
  ProblemList problems;
  problems.add({}, text.error());
  return {path, std::nullopt, problems.take_sorted(), {}};
}

std::string_view example_config() { return kExample; }

}  // namespace tokprobe
