#include "probes/endpoint.h"

#include <algorithm>
#include <fstream>

#include "probes/base/text.h"
#include "probes/base/version.h"

namespace tokprobe {
namespace {

constexpr std::streamsize kMaxKeyBytes = 16'384;

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

Result<std::string> read_key(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string key(static_cast<std::size_t>(kMaxKeyBytes) + 1, '\0');
  if (!file.is_open()) return Error{"the API key file " + printable(path) + " cannot be read"};
  file.read(key.data(), kMaxKeyBytes + 1);
  key.resize(static_cast<std::size_t>(file.gcount()));
  if (file.gcount() > kMaxKeyBytes) {
    return Error{"the API key file " + printable(path) + " is larger than 16 KiB"};
  }
  key = trim(key);
  if (key.empty()) return Error{"the API key file " + printable(path) + " is empty"};
  if (has_control(key)) {
    return Error{"the API key file " + printable(path) + " holds more than one line"};
  }
  return key;
}

}  // namespace

std::string user_agent() { return "tokprobe/" + std::string(version()); }

Result<HttpRequest> make_request(const Endpoint& endpoint, std::string_view path, std::string body,
                                 std::string_view request_id) {
  HttpRequest request;
  request.url = endpoint.url.join(path);
  request.ca_file = endpoint.ca_file;
  request.insecure = endpoint.insecure;
  request.proxy = endpoint.proxy;
  request.headers.push_back("User-Agent: " + user_agent());
  if (body.empty()) {
    request.method = "GET";
    request.headers.emplace_back("Accept: application/json");
  } else {
    request.headers.emplace_back("Content-Type: application/json");
    request.headers.emplace_back("Accept: text/event-stream");
    request.body = std::move(body);
  }
  if (!request_id.empty()) request.headers.push_back("X-Request-Id: " + std::string(request_id));
  if (!endpoint.api_key_file.empty()) {
    auto key = read_key(endpoint.api_key_file);
    if (!key) return Error{key.error()};
    request.headers.push_back("Authorization: Bearer " + *key);
  }
  for (const auto& [name, value] : endpoint.headers) {
    if (has_control(name) || has_control(value)) {
      return Error{"the header " + printable(name, 60) + " holds control characters"};
    }
    request.headers.push_back(name + ": " + value);
  }
  return request;
}

}  // namespace tokprobe
