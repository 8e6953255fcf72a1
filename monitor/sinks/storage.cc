#include "monitor/sinks/storage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace tokprobe {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* kStateFile = "state.json";
constexpr const char* kSchema = "tokprobe.state/1";
constexpr std::uintmax_t kMaxBytes = 64U << 20U;

// Words or tokens of a prompt: a number that no prompt has is held to kMost, since a cast of it
// would be undefined.
std::int64_t read_length(const Json& json) {
  constexpr double kMost = 1e7;
  return static_cast<std::int64_t>(std::clamp(json.get<double>(), 0.0, kMost));
}

// Everything by reference: copying a value is recursive, and the file is nested as it likes.
SavedTarget read_target(const Json& json) {
  SavedTarget saved;
  const auto& keys = json.get_ref<const Json::object_t&>();
  if (const auto lengths = keys.find("prompt_lengths"); lengths != keys.end()) {
    for (const Json& pair : lengths->second) {
      saved.prompt_lengths.push_back(
          {static_cast<int>(read_length(pair.at(0))), read_length(pair.at(1))});
    }
  }
  if (const auto runs = keys.find("last_runs"); runs != keys.end()) {
    for (const auto& [probe, time] : runs->second.items()) {
      saved.last_runs[probe] = time.get<double>();
    }
  }
  return saved;
}

std::string reason() { return std::strerror(errno); }

// The new content is whole on the disk before it takes the old one's name.
Result<bool> replace_file(const std::string& path, std::string_view text) {
  const std::string beside = path + ".new";
  const int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return Error{fmt::format("{}: {}", beside, reason())};
  bool written = true;
  while (written && !text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    written = n > 0;
    if (written) text.remove_prefix(static_cast<std::size_t>(n));
  }
  written = written && ::fsync(fd) == 0;
  std::string why = written ? "" : reason();
  ::close(fd);
  if (written && ::rename(beside.c_str(), path.c_str()) != 0) why = reason();
  if (why.empty()) return true;
  ::unlink(beside.c_str());
  return Error{fmt::format("{}: {}", path, why)};
}

}  // namespace

std::string write_state(const std::map<std::string, SavedTarget>& targets, double now) {
  Json out;
  out["schema"] = kSchema;
  out["saved_at_seconds"] = now;
  out["targets"] = Json::object();
  for (const auto& [name, saved] : targets) {
    Json& target = out["targets"][name];
    target["prompt_lengths"] = Json::array();
    for (const auto& o : saved.prompt_lengths) {
      target["prompt_lengths"].push_back({o.words, o.tokens});
    }
    target["last_runs"] = Json::object();
    for (const auto& [probe, time] : saved.last_runs) target["last_runs"][probe] = time;
  }
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::map<std::string, SavedTarget>> read_state(std::string_view text) {
  std::map<std::string, SavedTarget> targets;
  try {
    const Json json = Json::parse(text);
    const std::string schema = json.at("schema").get<std::string>();
    if (schema != kSchema) return Error{"its schema is " + schema + ", not " + kSchema};
    for (const auto& [name, target] : json.at("targets").items())
      targets[name] = read_target(target);
  } catch (const Json::exception& e) {
    return Error{e.what()};
  }
  return targets;
}

Result<std::shared_ptr<Storage>> Storage::open(const std::string& directory, std::string& problem) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return Error{fmt::format("{}: {}", directory, error.message())};
  const int lock = ::open((directory + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) return Error{fmt::format("{}/lock: {}", directory, reason())};
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock);
    return Error{fmt::format("{} is in use by another tokprobe", directory)};
  }
  std::shared_ptr<Storage> storage(new Storage(directory, lock));
  const auto text = storage->read_file(kStateFile);
  if (!text) return storage;
  auto state = read_state(*text);
  if (state) {
    storage->targets_ = *state;
  } else {
    problem = fmt::format("{}/{} cannot be read ({}); kept as {}.bad", directory, kStateFile,
                          state.error(), kStateFile);
    storage->put_aside(kStateFile);
  }
  return storage;
}

// A file that is too large to be ours gives an empty text, which no reader accepts.
std::optional<std::string> Storage::read_file(const std::string& name) const {
  const std::string path = directory_ + "/" + name;
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  std::ifstream file(path, std::ios::binary);
  const bool small = fs::file_size(path, error) <= kMaxBytes && !error;
  return small ? std::string(std::istreambuf_iterator<char>(file), {}) : std::string();
}

Result<bool> Storage::write_file(const std::string& name, std::string_view text) const {
  return replace_file(directory_ + "/" + name, text);
}

void Storage::put_aside(const std::string& name) const {
  std::error_code error;
  fs::rename(directory_ + "/" + name, directory_ + "/" + name + ".bad", error);
}

Storage::~Storage() { ::close(lock_); }

SavedTarget Storage::get(const std::string& target) const {
  const std::lock_guard lock(mutex_);
  const auto found = targets_.find(target);
  return found == targets_.end() ? SavedTarget{} : found->second;
}

void Storage::put(const std::string& target, SavedTarget saved) {
  const std::lock_guard lock(mutex_);
  targets_[target] = std::move(saved);
  changed_ = true;
}

Result<bool> Storage::save(double now) {
  const std::lock_guard one_writer(saving_);
  std::string text;
  {
    const std::lock_guard lock(mutex_);
    if (!changed_) return false;
    changed_ = false;
    text = write_state(targets_, now);
  }
  auto done = write_file(kStateFile, text);
  if (done) return done;
  const std::lock_guard lock(mutex_);
  changed_ = true;
  return done;
}

}  // namespace tokprobe
