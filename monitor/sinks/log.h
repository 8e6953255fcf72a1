#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tokprobe {

enum class LogLevel { kDebug, kInfo, kWarn, kError };
enum class LogFormat { kLogfmt, kJson };

/// "debug", "info", "warn" or "error"; anything else is info.
LogLevel log_level(std::string_view name);

using LogFields = std::vector<std::pair<std::string_view, std::string>>;

/// One line of the log but for its time: `level=info msg="run ok" target=a`, or the same as the
/// rest of a JSON object that begins with the time. Values may hold anything: they are escaped and
/// cannot forge a line.
std::string format_log(LogFormat format, LogLevel level, std::string_view message,
                       const LogFields& fields);

/// Writes lines to stderr. Safe from any thread.
class Log {
 public:
  Log(LogLevel least, LogFormat format);
  ~Log();
  void write(LogLevel level, std::string_view message, const LogFields& fields = {}) const;
  void debug(std::string_view m, const LogFields& f = {}) const { write(LogLevel::kDebug, m, f); }
  void info(std::string_view m, const LogFields& f = {}) const { write(LogLevel::kInfo, m, f); }
  void warn(std::string_view m, const LogFields& f = {}) const { write(LogLevel::kWarn, m, f); }
  void error(std::string_view m, const LogFields& f = {}) const { write(LogLevel::kError, m, f); }

 private:
  struct Logger;
  std::unique_ptr<Logger> logger_;
};

}  // namespace tokprobe
