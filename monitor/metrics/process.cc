#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "monitor/metrics/self.h"

namespace tokprobe {
namespace {

// The fields of /proc/self/stat after the command's name, which may hold anything.
std::vector<double> stat_fields() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  const auto end = line.rfind(')');
  if (end == std::string::npos) return {};
  std::istringstream rest(line.substr(end + 1));
  std::string state;
  rest >> state;
  std::vector<double> fields;
  for (double value = 0; rest >> value;) fields.push_back(value);
  return fields;
}

std::optional<double> boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("btime ")) return std::stod(line.substr(6));
  }
  return std::nullopt;
}

std::optional<double> open_descriptors() {
  DIR* dir = opendir("/proc/self/fd");
  if (dir == nullptr) return std::nullopt;
  int count = 0;
  while (const dirent* entry = readdir(dir)) count += entry->d_name[0] == '.' ? 0 : 1;
  closedir(dir);
  return count - 1;  // the one of this very listing
}

}  // namespace

ProcessFigures read_process() {
  ProcessFigures figures;
  figures.open_fds = open_descriptors();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) figures.max_fds = static_cast<double>(limit.rlim_cur);
  // proc(5): fields 14, 15 (times), 20 (threads), 22 (start), 23 (virtual), 24 (resident); the
  // list begins with field 4.
  const std::vector<double> fields = stat_fields();
  if (fields.size() < 21) return figures;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  figures.cpu_seconds = (fields[10] + fields[11]) / ticks;
  figures.threads = fields[16];
  figures.virtual_bytes = fields[19];
  figures.resident_bytes = fields[20] * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (const auto boot = boot_time()) figures.start_time_seconds = *boot + fields[18] / ticks;
  return figures;
}

}  // namespace tokprobe
