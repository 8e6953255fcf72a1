#pragma once

#include <httplib.h>
#include <openssl/ssl.h>

#include <memory>
#include <string>

namespace tokprobe_sim {

struct HttpOptions {
  std::string host = "127.0.0.1";
  int port = 18800;  // 0: any
  int max_connections = 1024;
  size_t max_body = 16U << 20U;  // bytes
  std::string tls_cert;          // PEM; TLS when both are given
  std::string tls_key;
};

// httplib's server over our own Connection: a thread a connection, one process a port, a listen
// queue that holds a burst of connections, and an end that does not wait for open streams.
class HttpServer : public httplib::Server {
 public:
  explicit HttpServer(HttpOptions options);
  ~HttpServer() override;

  // Returns the problem, or "" and the port in use.
  std::string open(int& port);
  void run();        // blocks until shut_down()
  void shut_down();  // from any thread, once run() has begun; open streams end at once

 private:
  bool process_and_close_socket(socket_t socket) override;

  HttpOptions options_;
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> tls_{nullptr, SSL_CTX_free};
  int stop_fd_;
  socket_t listener_ = INVALID_SOCKET;
};

}  // namespace tokprobe_sim
