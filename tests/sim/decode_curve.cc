#include "tests/sim/decode_curve.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace tokprobe_sim {
namespace {

template <typename Number>
bool read_number(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string DecodeCurve::parse(std::string_view text, DecodeCurve& out) {
  std::vector<std::pair<int, double>> points;
  std::string_view rest = text;
  while (true) {
    const size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const size_t colon = item.find(':');
    std::pair<int, double> point{1, 0.0};
    const bool constant =
        colon == std::string_view::npos && points.empty() && comma == std::string_view::npos;
    if (!constant && (colon == std::string_view::npos ||
                      !read_number(item.substr(0, colon), point.first) || point.first < 1)) {
      return fmt::format("decode: '{}' is not REQUESTS:TOKENS_PER_SECOND", item);
    }
    const std::string_view rate = constant ? item : item.substr(colon + 1);
    if (!read_number(rate, point.second) || !std::isfinite(point.second) || point.second <= 0) {
      return fmt::format("decode: '{}' is not a positive rate", rate);
    }
    if (!points.empty() && points.back().first >= point.first) {
      return "decode: the numbers of requests must rise";
    }
    points.push_back(point);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  out.points_ = std::move(points);
  return "";
}

double DecodeCurve::at(int running) const {
  if (running <= points_.front().first) return points_.front().second;
  for (size_t i = 1; i < points_.size(); ++i) {
    const auto& [n0, r0] = points_[i - 1];
    const auto& [n1, r1] = points_[i];
    if (running <= n1) return r0 + (r1 - r0) * (running - n0) / (n1 - n0);
  }
  return points_.back().second;
}

std::string DecodeCurve::text() const {
  std::string out;
  for (const auto& [requests, rate] : points_) {
    out += fmt::format("{}{}:{}", out.empty() ? "" : ",", requests, rate);
  }
  return out;
}

}  // namespace tokprobe_sim
