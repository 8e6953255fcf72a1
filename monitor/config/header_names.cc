#include "monitor/config/header_names.h"

#include <algorithm>
#include <array>

#include "probes/base/text.h"

namespace tokprobe {
namespace {

constexpr std::array<std::string_view, 9> kOwnHeaders{
    "accept-encoding", "connection",        "content-length", "content-type", "expect", "te",
    "trailer",         "transfer-encoding", "upgrade"};

bool is_header_name(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && name.size() <= 100 && std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

}  // namespace

std::optional<std::string> header_problem(std::string_view name) {
  if (!is_header_name(name)) return "not a header name (letters, digits and '-')";
  const std::string low = lower(name);
  if (std::find(kOwnHeaders.begin(), kOwnHeaders.end(), low) == kOwnHeaders.end())
    return std::nullopt;
  return "tokprobe sets " + low + " itself";
}

}  // namespace tokprobe
