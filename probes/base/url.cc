#include "probes/base/url.h"

#include <algorithm>
#include <charconv>

#include "probes/base/text.h"

namespace tokprobe {
namespace {

bool valid_host_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_';
}

bool valid_port(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port > 0 && port < 65536;
}

// An address, perhaps with a zone (%25eth0). The resolver has the last word.
bool valid_ipv6(std::string_view text) {
  const auto percent = std::min(text.find('%'), text.size());
  const std::string_view zone = text.substr(percent);
  const std::string_view address = text.substr(0, percent);
  if (address.find_first_not_of("0123456789abcdefABCDEF:.") != std::string_view::npos) return false;
  if (zone.empty()) return true;
  return zone.starts_with("%25") && zone.size() > 3 &&
         std::all_of(zone.begin() + 3, zone.end(), valid_host_char);
}

// Host with optional port; IPv6 only in brackets.
bool valid_authority(std::string_view text) {
  std::string_view rest;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos || close < 3) return false;
    if (!valid_ipv6(text.substr(1, close - 1))) return false;
    rest = text.substr(close + 1);
  } else {
    const auto colon = std::min(text.find(':'), text.size());
    const std::string_view host = text.substr(0, colon);
    if (host.empty() || !std::all_of(host.begin(), host.end(), valid_host_char)) return false;
    rest = text.substr(colon);
  }
  return rest.empty() || (rest.starts_with(':') && valid_port(rest.substr(1)));
}

std::string masked_query(std::string_view query) {
  std::string out;
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    out += out.empty() ? "?" : "&";
    out += pair.substr(0, pair.find('='));
    if (pair.find('=') != std::string_view::npos) out += "=xxx";
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return out;
}

}  // namespace

std::string Url::join(std::string_view suffix) const {
  std::string base = path;
  if (base.ends_with("/v1")) base.resize(base.size() - 3);
  std::string out = scheme + "://" + (userinfo.empty() ? "" : userinfo + "@") + authority + base;
  out += suffix;
  if (!query.empty()) out.append("?").append(query);
  return out;
}

std::string Url::masked() const {
  return scheme + "://" + (userinfo.empty() ? "" : "xxx@") + authority + path + masked_query(query);
}

Result<Url> parse_url(std::string_view text) {
  // The text may hold a password, also where none belongs: with an '@' in it nothing is repeated.
  const bool secret = text.find('@') != std::string_view::npos;
  if (text.size() > 2000) return Error{"the URL is longer than 2000 bytes"};
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7F) {
      return Error{"the URL contains a space or a control character"};
    }
  }
  Url url;
  url.scheme = "http";
  if (const auto at = text.find("://");
      at != std::string_view::npos && at < text.find_first_of("/?#@")) {
    url.scheme = lower(text.substr(0, at));
    text.remove_prefix(at + 3);
  }
  if (url.scheme != "http" && url.scheme != "https") {
    return Error{"the URL must begin with http:// or https://, not " + printable(url.scheme, 20) +
                 "://"};
  }
  const auto end = std::min(text.find_first_of("/?#"), text.size());
  std::string_view authority = text.substr(0, end);
  std::string_view rest = text.substr(end);
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    url.userinfo = authority.substr(0, at);
    authority.remove_prefix(at + 1);
  }
  if (!valid_authority(authority)) {
    return Error{"the URL has no valid host and port" +
                 (secret ? std::string() : ": '" + printable(authority, 80) + "'")};
  }
  if (std::any_of(rest.begin(), rest.end(), [](char c) { return (c & 0x80) != 0; })) {
    return Error{"the URL holds a character beyond ASCII; write it as %XX"};
  }
  url.authority = authority;
  rest = rest.substr(0, rest.find('#'));
  const auto mark = std::min(rest.find('?'), rest.size());
  url.path = rest.substr(0, mark);
  // A slip in what comes before would show a password as part of the path.
  if (url.path.find('@') != std::string::npos) {
    return Error{"the URL has an '@' in its path; write it as %40"};
  }
  if (mark < rest.size()) url.query = rest.substr(mark + 1);
  while (url.path.ends_with('/')) url.path.pop_back();
  return url;
}

}  // namespace tokprobe
