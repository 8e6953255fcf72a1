#pragma once

#include <string>
#include <string_view>

#include "probes/base/result.h"

namespace tokprobe {

/// A checked http or https URL, kept as text in parts.
struct Url {
  std::string scheme;     ///< "http" or "https"
  std::string userinfo;   ///< "user:password", or empty
  std::string authority;  ///< host and optional port, as given; IPv6 in brackets
  std::string path;       ///< begins with '/' or is empty; no trailing '/'
  std::string query;      ///< without '?'

  /// The base followed by `suffix` (which begins with '/'). A base that ends in /v1 stands for the
  /// one before it: what is not below /v1, such as /version, is its neighbour.
  std::string join(std::string_view suffix) const;
  /// Fit for labels and logs: user information and the values of the query are masked.
  std::string masked() const;
};

/// Parses a base URL. `host:port` without a scheme is taken as http. At most 2000 bytes.
Result<Url> parse_url(std::string_view text);

}  // namespace tokprobe
