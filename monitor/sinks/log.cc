#include "monitor/sinks/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

#include "probes/base/text.h"

namespace tokprobe {
namespace {

constexpr std::array<std::string_view, 4> kNames{"debug", "info", "warn", "error"};
constexpr std::size_t kMaxValue = 2000;

bool plain(std::string_view value) {
  return !value.empty() && value.find_first_of(" =\"\\") == std::string_view::npos;
}

void add_logfmt(std::string& out, std::string_view key, std::string_view raw) {
  const std::string value = printable(raw, kMaxValue);
  if (!out.empty()) out += ' ';
  out.append(key).append("=");
  if (plain(value)) {
    out += value;
    return;
  }
  out += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

spdlog::level::level_enum spd(LogLevel level) {
  constexpr std::array kLevels{spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                               spdlog::level::err};
  return kLevels[static_cast<std::size_t>(level)];
}

// Lines are made here; spdlog filters, stamps and writes them whole.
class LineFormatter final : public spdlog::formatter {
 public:
  explicit LineFormatter(LogFormat format) : format_(format) {}
  void format(const spdlog::details::log_msg& msg, spdlog::memory_buf_t& dest) override {
    const auto t =
        std::chrono::duration_cast<std::chrono::milliseconds>(msg.time.time_since_epoch());
    const std::time_t whole = t.count() / 1000;
    std::tm utc{};
    gmtime_r(&whole, &utc);
    const std::string time = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
                                         utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                                         utc.tm_hour, utc.tm_min, utc.tm_sec, t.count() % 1000);
    const std::string_view rest(msg.payload.data(), msg.payload.size());
    const std::string line = format_ == LogFormat::kJson
                                 ? fmt::format("{{\"time\":\"{}\",{}\n", time, rest)
                                 : fmt::format("time={} {}\n", time, rest);
    dest.append(line.data(), line.data() + line.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<LineFormatter>(format_);
  }

 private:
  LogFormat format_;
};

}  // namespace

LogLevel log_level(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<LogLevel>(i);
  }
  return LogLevel::kInfo;
}

std::string format_log(LogFormat format, LogLevel level, std::string_view message,
                       const LogFields& fields) {
  const std::string_view name = kNames[static_cast<std::size_t>(level)];
  if (format == LogFormat::kLogfmt) {
    std::string out;
    add_logfmt(out, "level", name);
    add_logfmt(out, "msg", message);
    for (const auto& [key, value] : fields) add_logfmt(out, key, value);
    return out;
  }
  nlohmann::ordered_json json;
  json["level"] = name;
  json["msg"] = printable(message, kMaxValue);
  for (const auto& [key, value] : fields) json[std::string(key)] = printable(value, kMaxValue);
  return json.dump().substr(1);
}

struct Log::Logger {
  Logger(LogLevel least, LogFormat f)
      : format(f), spdlog("tokprobe", std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
    spdlog.set_level(spd(least));
    spdlog.set_formatter(std::make_unique<LineFormatter>(f));
    spdlog.flush_on(spdlog::level::debug);
  }
  LogFormat format;
  spdlog::logger spdlog;
};

Log::Log(LogLevel least, LogFormat format) : logger_(std::make_unique<Logger>(least, format)) {}
Log::~Log() = default;

void Log::write(LogLevel level, std::string_view message, const LogFields& fields) const {
  if (!logger_->spdlog.should_log(spd(level))) return;
  const std::string line = format_log(logger_->format, level, message, fields);
  logger_->spdlog.log(spd(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace tokprobe
