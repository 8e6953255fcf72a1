#include "monitor/web/server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <thread>

#include "probes/base/text.h"

namespace tokprobe {
namespace {

constexpr std::size_t kThreads = 32;
constexpr int kBacklog = 1024;
constexpr std::size_t kMaxBody = 65'536;

void add_route(httplib::Server& server, const Route& route) {
  const auto answer = [&route](const httplib::Request& request, httplib::Response& response) {
    const Page page = route.handler(Query(request.params.begin(), request.params.end()));
    response.status = page.status;
    response.set_content(page.body, page.content_type.c_str());
  };
  const auto refuse = [](const httplib::Request&, httplib::Response& response) {
    response.status = 405;
    response.set_header("Allow", "POST");
    response.set_content("This changes something: use POST.\n", "text/plain; charset=utf-8");
  };
  if (route.post) {
    server.Post(route.path, answer);
    server.Get(route.path, refuse);
  } else {
    server.Get(route.path, answer);
  }
}

}  // namespace

struct WebServer::Listener {
  httplib::Server server;
  int fd = -1;
  std::atomic<bool> ended = false;
  std::thread thread;
};

Result<ListenAddress> parse_listen_address(const std::string& text) {
  const Error bad{fmt::format("'{}' is not an address; write HOST:PORT, [IPV6]:PORT or :PORT",
                              printable(text, 80))};
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return bad;
  ListenAddress address;
  const char* begin = text.data() + colon + 1;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(begin, end, address.port);
  if (error != std::errc() || rest != end || address.port < 0 || address.port > 65535) return bad;
  address.host = text.substr(0, colon);
  const bool bracketed = address.host.starts_with('[') && address.host.ends_with(']');
  if (bracketed) address.host = address.host.substr(1, address.host.size() - 2);
  if (!bracketed && address.host.find(':') != std::string::npos) return bad;
  const bool sane = std::all_of(address.host.begin(), address.host.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == ':' ||
           c == '%';
  });
  if (!sane) return bad;
  return address;
}

std::string show(const ListenAddress& address) {
  const std::string host = address.host.empty() ? "0.0.0.0" : address.host;
  const bool v6 = host.find(':') != std::string::npos;
  return fmt::format("{}:{}", v6 ? "[" + host + "]" : host, address.port);
}

WebServer::WebServer(std::vector<Route> routes, std::function<void(const std::string&, int)> count)
    : routes_(std::move(routes)), count_(std::move(count)) {}

WebServer::~WebServer() { stop(); }

Result<int> WebServer::listen(const ListenAddress& address) {
  auto listener = std::make_unique<Listener>();
  httplib::Server& server = listener->server;
  server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  server.set_payload_max_length(kMaxBody);
  server.set_tcp_nodelay(true);
  server.set_keep_alive_max_count(1'000'000);
  // An idle connection is waited for this long when we stop. Scrapes come farther apart anyway.
  server.set_keep_alive_timeout(1);
  server.set_read_timeout(5);
  server.set_write_timeout(10);
  // The library's own options would let two agents share a port without a word.
  int* fd = &listener->fd;
  server.set_socket_options([fd](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    *fd = socket;
  });
  server.set_default_headers({{"X-Content-Type-Options", "nosniff"}});
  for (const Route& route : routes_) add_route(server, route);
  server.set_logger([this](const httplib::Request& request, const httplib::Response& response) {
    const bool known = std::any_of(routes_.begin(), routes_.end(),
                                   [&](const Route& route) { return route.path == request.path; });
    count_(known ? request.path : "other", response.status);
  });
  const std::string host = address.host.empty() ? "0.0.0.0" : address.host;
  errno = 0;
  int port = address.port;
  const bool bound = port == 0 ? (port = server.bind_to_any_port(host.c_str())) > 0
                               : server.bind_to_port(host.c_str(), port);
  if (!bound) {
    return Error{fmt::format("cannot listen on {}: {}", show(address),
                             errno != 0 ? std::strerror(errno) : "not an address of this machine")};
  }
  // The library listens with a backlog of 5: a burst of scrapes would wait a second each.
  ::listen(listener->fd, kBacklog);
  listener->thread = std::thread([each = listener.get()] {
    each->server.listen_after_bind();
    each->ended = true;
  });
  listeners_.push_back(std::move(listener));
  return port;
}

void WebServer::stop() {
  for (auto& listener : listeners_) {
    // A server that is stopped before it runs would run for ever.
    while (!listener->server.is_running() && !listener->ended) std::this_thread::yield();
    listener->server.stop();
    listener->thread.join();
  }
  listeners_.clear();
}

}  // namespace tokprobe
