#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "probes/base/result.h"
#include "probes/base/url.h"
#include "probes/transport/transport.h"

namespace tokprobe {

/// How to reach one server. A value.
struct Endpoint {
  Url url;
  std::string api_key_file;  ///< empty: no key
  std::string ca_file;
  bool insecure = false;
  std::string proxy;
  std::vector<std::pair<std::string, std::string>> headers;  ///< sent with every request
};

/// A request to `path` (which begins with '/') of the endpoint: with a body a POST of JSON, without
/// one a GET. The key file is read at each call, so that a changed key is used at once. An error
/// when the key cannot be read or a header holds control characters; its message holds no secret.
Result<HttpRequest> make_request(const Endpoint& endpoint, std::string_view path, std::string body,
                                 std::string_view request_id);

/// "tokprobe/VERSION": every request names its sender.
std::string user_agent();

}  // namespace tokprobe
