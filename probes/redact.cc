#include "probes/redact.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "probes/base/text.h"
#include "probes/base/url.h"

namespace tokprobe {
namespace {

constexpr std::string_view kMask = "xxx";
constexpr std::size_t kShortest = 4;
constexpr std::string_view kDots = "...";
// Headers that tokprobe writes itself, without a secret in them.
constexpr std::array<std::string_view, 4> kPlain{"user-agent", "accept", "content-type",
                                                 "x-request-id"};

void add(std::vector<std::string>& secrets, std::string_view value) {
  value = trim(value);
  if (value.size() >= kShortest) secrets.emplace_back(value);
}

void add_header(std::vector<std::string>& secrets, std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = lower(trim(line.substr(0, colon)));
  if (std::find(kPlain.begin(), kPlain.end(), name) != kPlain.end()) return;
  std::string_view value = trim(line.substr(colon + 1));
  if (value.starts_with("Bearer ")) value.remove_prefix(7);
  add(secrets, value);
}

std::vector<std::string> secrets_of(const HttpRequest& request) {
  std::vector<std::string> secrets;
  for (const std::string& line : request.headers) add_header(secrets, line);
  if (const auto url = parse_url(request.url)) {
    add(secrets, url->userinfo);
    const auto colon = url->userinfo.find(':');
    if (colon != std::string::npos) add(secrets, std::string_view(url->userinfo).substr(colon + 1));
    for (std::string_view rest = url->query; !rest.empty();) {
      const auto end = std::min(rest.find('&'), rest.size());
      const std::string_view pair = rest.substr(0, end);
      if (const auto equal = pair.find('='); equal != std::string_view::npos) {
        add(secrets, pair.substr(equal + 1));
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  // The longest first: a secret may hold another one.
  std::sort(secrets.begin(), secrets.end(),
            [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return secrets;
}

void replace_all(std::string& text, std::string_view what) {
  for (auto at = text.find(what); at != std::string::npos;
       at = text.find(what, at + kMask.size())) {
    text.replace(at, what.size(), kMask);
  }
}

// A text that was shortened may end in the beginning of a secret.
void cut_beginning(std::string& text, std::string_view secret) {
  if (!text.ends_with(kDots)) return;
  const std::string_view body = std::string_view(text).substr(0, text.size() - kDots.size());
  for (std::size_t n = std::min(secret.size() - 1, body.size()); n >= kShortest; --n) {
    if (!body.ends_with(secret.substr(0, n))) continue;
    text = std::string(body.substr(0, body.size() - n)) + std::string(kMask) + std::string(kDots);
    return;
  }
}

void mask_scheme(std::string& text, std::string_view scheme) {
  for (auto at = text.find(scheme); at != std::string::npos; at = text.find(scheme, at + 1)) {
    const auto begin = at + scheme.size();
    const auto end = std::min(text.find_first_of(" \"',;\\", begin), text.size());
    if (end - begin >= kShortest) text.replace(begin, end - begin, kMask);
  }
}

}  // namespace

std::string redact(std::string text, const HttpRequest& request) {
  for (const std::string& secret : secrets_of(request)) {
    replace_all(text, secret);
    cut_beginning(text, secret);
  }
  for (const std::string_view scheme : {"Basic ", "Bearer "}) mask_scheme(text, scheme);
  return text;
}

}  // namespace tokprobe
