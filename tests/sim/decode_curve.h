#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tokprobe_sim {

// Decode speed of one request, in tokens/s, as a function of the number of running requests:
// linear between the given points, constant outside them.
class DecodeCurve {
 public:
  // The default curve: 50 tokens/s at any load.
  DecodeCurve() : points_{{1, 50.0}} {}

  // Reads "1:73.5,2:70.8,16:40" (or "73.5" alone for a constant). Numbers of requests must rise and
  // rates be positive. On failure returns the reason and leaves `out` alone; else returns "".
  static std::string parse(std::string_view text, DecodeCurve& out);

  double at(int running) const;
  std::string text() const;  // parse(text()) gives the same curve

 private:
  std::vector<std::pair<int, double>> points_;  // never empty
};

}  // namespace tokprobe_sim
