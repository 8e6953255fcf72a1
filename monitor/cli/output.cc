#include "monitor/cli/output.h"

#include <cstdio>

namespace tokprobe {

int emit(std::string_view text, int code) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return code;
  complain("tokprobe: the result could not be written\n");
  return 1;
}

void complain(std::string_view text) {
  [[maybe_unused]] const auto written = std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace tokprobe
