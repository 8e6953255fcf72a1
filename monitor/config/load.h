#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/config/config.h"
#include "monitor/config/problem.h"

namespace tokprobe {

/// Looks up a variable for `${NAME}`; nothing when it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
/// The variables of this process.
Environment process_environment();

/// What came of reading a configuration.
struct LoadResult {
  std::string file_name;
  std::optional<Config> config;   ///< present exactly when there is no problem
  std::vector<Problem> problems;  ///< all of them, in the order of the file
  std::vector<Problem> warnings;  ///< likewise; they do not prevent a start

  explicit operator bool() const { return config.has_value(); }
  /// Problems and warnings as lines for a terminal; empty when there are none.
  std::string report() const;
};

inline constexpr std::size_t kMaxConfigBytes = 4U << 20;

/// Reads and checks the text of a configuration file. Pure but for `environment`; never throws.
/// `file_name` is only for messages. No message holds a header value, user information of a URL or
/// the value of a variable, unless it was used as a name (names are public: they become labels).
LoadResult load_config(std::string_view text, std::string_view file_name,
                       const Environment& environment);
/// The same for a file; relative paths in it count from its folder. One that cannot be read is a
/// problem without a line.
LoadResult load_config_file(const std::string& path, const Environment& environment);

/// A complete small configuration, for the message of a program that was started without one.
std::string_view example_config();

}  // namespace tokprobe
