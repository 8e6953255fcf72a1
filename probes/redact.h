#pragma once

#include <string>

#include "probes/transport/transport.h"

namespace tokprobe {

/// Takes out of a text what only `request` and its server should know: the values of its headers
/// (the API key among them), user information and query values of its URL, and whatever follows
/// "Basic " or "Bearer ". Servers and proxies echo requests in their error messages. A secret that
/// was cut off by the end of the text is taken out too. Values below 4 bytes are too common to be
/// looked for.
std::string redact(std::string text, const HttpRequest& request);

}  // namespace tokprobe
