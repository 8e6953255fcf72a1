// Passes a history of runs through the agent's judge, and prints what the agent would have exported
// after each.
//
//   judge_replay < runs.csv > ratios.csv
//
// In, a line a run: minute, output tokens per second, TTFT in seconds, running, waiting, success (0
// or 1); running and waiting may be empty. The speed counts as that of a stream, so that the time
// per output token is one by it. Minute 0 is a Monday, 00:00 UTC. Out, a line a run: minute,
// success, the ratios by window and measure, in the order of the agent's tables; empty where
// unknown.
#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>

#include "monitor/judge/judge.h"

namespace {

constexpr double kMonday = 1704067200;

float number(const std::string& text) {
  return text.empty() ? tokprobe::kUnknown : std::stof(text);
}

void print(const std::string& minute, bool success, const tokprobe::Judgement& judgement) {
  std::printf("%s,%d", minute.c_str(), success ? 1 : 0);
  for (const auto& window : judgement.ratios) {
    for (const float ratio : window) {
      if (std::isnan(ratio)) {
        std::printf(",");
      } else {
        std::printf(",%.4f", static_cast<double>(ratio));
      }
    }
  }
  std::printf("\n");
}

}  // namespace

int main() {
  tokprobe::Judge judge;
  tokprobe::Judgement judgement;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream fields(line);
    std::string minute, speed, ttft, running, waiting, success;
    std::getline(fields, minute, ',');
    if (minute.empty() || minute.find_first_not_of("0123456789") != std::string::npos) continue;
    std::getline(fields, speed, ',');
    std::getline(fields, ttft, ',');
    std::getline(fields, running, ',');
    std::getline(fields, waiting, ',');
    std::getline(fields, success, ',');
    const bool ok = success == "1";
    if (ok) {
      const float tokens = number(speed);
      judgement = judge.admit({kMonday + 60 * std::stod(minute),
                               number(running),
                               number(waiting),
                               {tokens, number(ttft), 1 / tokens}},
                              "");
    }
    print(minute, ok, judgement);
  }
}
