#include "tests/sim/http_server.h"

#include <fmt/format.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <cstring>

#include "tests/sim/connection.h"

namespace tokprobe_sim {
namespace {

constexpr int kBacklog = 1024;
constexpr int kIdleSeconds = 600;
constexpr size_t kNoLimit = 1'000'000'000;

}  // namespace

HttpServer::HttpServer(HttpOptions options)
    : options_(std::move(options)), stop_fd_(eventfd(0, EFD_CLOEXEC)) {
  const auto threads = static_cast<size_t>(options_.max_connections);
  new_task_queue = [threads] { return new httplib::ThreadPool(threads); };
  set_keep_alive_max_count(kNoLimit);
  set_keep_alive_timeout(kIdleSeconds);
  set_payload_max_length(options_.max_body);
  // Without SO_REUSEPORT, which httplib sets by itself: two simulators on one port would share it.
  set_socket_options([this](socket_t socket) {
    listener_ = socket;
    const int on = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    // Asked for here already, so that the kernel stamps even the first bytes of a new connection.
    setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  });
}

HttpServer::~HttpServer() { close(stop_fd_); }

std::string HttpServer::open(int& port) {
  if (!options_.tls_cert.empty()) {
    tls_.reset(SSL_CTX_new(TLS_server_method()));
    SSL_CTX_set_mode(tls_.get(),
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    if (SSL_CTX_use_certificate_chain_file(tls_.get(), options_.tls_cert.c_str()) != 1 ||
        SSL_CTX_use_PrivateKey_file(tls_.get(), options_.tls_key.c_str(), SSL_FILETYPE_PEM) != 1) {
      return fmt::format("cannot use certificate {} with key {}", options_.tls_cert,
                         options_.tls_key);
    }
  }
  port = options_.port;
  errno = 0;
  const bool bound =
      port == 0 ? (port = bind_to_any_port(options_.host)) > 0 : bind_to_port(options_.host, port);
  if (!bound) {
    return fmt::format("cannot listen on {}:{}: {}", options_.host, options_.port,
                       errno == 0 ? "bad address" : std::strerror(errno));
  }
  // httplib is compiled with a queue of 5; a burst of connections would lose SYNs for a second.
  ::listen(listener_, kBacklog);
  return "";
}

void HttpServer::run() { listen_after_bind(); }

void HttpServer::shut_down() {
  eventfd_write(stop_fd_, 1);
  stop();
}

bool HttpServer::process_and_close_socket(socket_t socket) {
  Connection connection(socket, stop_fd_, tls_.get());
  if (!connection.handshake()) return false;
  const std::function<void(httplib::Request&)> no_setup;
  // httplib 0.11 passes the stream alone, later versions the addresses too.
  const auto serve = [&](auto& server, bool& closed) {
    if constexpr (requires { server.process_request(connection, false, closed, no_setup); }) {
      return server.process_request(connection, false, closed, no_setup);
    } else {
      std::string remote, local;
      int remote_port = 0, local_port = 0;
      connection.get_remote_ip_and_port(remote, remote_port);
      connection.get_local_ip_and_port(local, local_port);
      return server.process_request(connection, remote, remote_port, local, local_port, false,
                                    closed, no_setup);
    }
  };
  bool closed = false;
  while (!closed && connection.await_request(kIdleSeconds)) {
    if (!serve(*this, closed)) return false;
  }
  return true;
}

}  // namespace tokprobe_sim
