#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "probes/base/result.h"

namespace tokprobe {

/// What a handler answers.
struct Page {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

/// The parameters of a request's query; of several with one name the first.
using Query = std::map<std::string, std::string>;

struct Route {
  std::string path;
  std::function<Page(const Query&)> handler;  ///< called from any of the server's threads
  bool post = false;                          ///< answers POST only, since it changes something
};

/// An address to listen on: host and port. An empty host means all addresses.
struct ListenAddress {
  std::string host;
  int port = 0;
};
/// Reads "127.0.0.1:18838", "[::1]:18838" or ":18838".
Result<ListenAddress> parse_listen_address(const std::string& text);
/// The same written out, an empty host as 0.0.0.0.
std::string show(const ListenAddress& address);

/// A small HTTP server: GET and HEAD, or POST, of a few exact paths, on one or more addresses, with
/// its own threads. `count` is told of every request (its path if it is a route, else "other") and
/// status.
class WebServer {
 public:
  WebServer(std::vector<Route> routes, std::function<void(const std::string&, int)> count);
  ~WebServer();
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  /// Begins to listen and to serve; the port that is really used (for port 0). An error when the
  /// address is taken or not ours.
  Result<int> listen(const ListenAddress& address);
  /// Ends all connections. Also done by the destructor.
  void stop();

 private:
  struct Listener;
  std::vector<Route> routes_;
  std::function<void(const std::string&, int)> count_;
  std::vector<std::unique_ptr<Listener>> listeners_;
};

}  // namespace tokprobe
