#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/base/result.h"
#include "probes/prompts/sizer.h"

namespace tokprobe {

/// What is worth keeping about a target over a restart.
struct SavedTarget {
  std::vector<PromptSizer::Observation>
      prompt_lengths;                       ///< so that prompts need no new calibration
  std::map<std::string, double> last_runs;  ///< probe -> Unix seconds at which its last run began
};

/// The text of a state file and back. Reading accepts any bytes: an error says what is wrong.
///
/// Format `tokprobe.state/1`: a JSON object {"schema": "tokprobe.state/1", "saved_at_seconds": N,
/// "targets": {NAME: {"prompt_lengths": [[WORDS, TOKENS], ..], "last_runs": {PROBE: SECONDS}}}}.
/// Unknown keys are passed over, so that an older program reads a newer file of the same number.
std::string write_state(const std::map<std::string, SavedTarget>& targets, double now);
Result<std::map<std::string, SavedTarget>> read_state(std::string_view text);

/// The directory --storage.path: `state.json`, replaced whole (written beside, synced, renamed),
/// and `lock`, held while a tokprobe uses the directory. A state file that cannot be read is kept
/// as `state.json.bad` and a new one begun. Other documents stand beside it, each replaced whole.
/// Methods are safe from any thread, as long as one document has one writer.
class Storage {
 public:
  /// Opens or makes the directory; an error when it cannot be used or another process holds it.
  /// `problem` tells of a state file that was put aside.
  static Result<std::shared_ptr<Storage>> open(const std::string& directory, std::string& problem);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  SavedTarget get(const std::string& target) const;
  void put(const std::string& target, SavedTarget saved);
  /// Writes the file if anything was put since the last time. An error when it could not be
  /// written (a full disk, say): the old file is then still whole, and the next save tries again.
  Result<bool> save(double now);

  /// Another document of the directory, by its file name.
  std::optional<std::string> read_file(const std::string& name) const;
  Result<bool> write_file(const std::string& name, std::string_view text) const;
  /// Renames a document that cannot be used to NAME.bad.
  void put_aside(const std::string& name) const;

 private:
  Storage(std::string directory, int lock) : directory_(std::move(directory)), lock_(lock) {}

  std::string directory_;
  int lock_;
  std::mutex saving_;         ///< held while the file is written; taken before mutex_
  mutable std::mutex mutex_;  ///< guards what follows
  std::map<std::string, SavedTarget> targets_;
  bool changed_ = false;
};

}  // namespace tokprobe
