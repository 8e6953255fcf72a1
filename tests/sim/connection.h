#pragma once

#include <httplib.h>
#include <openssl/ssl.h>

#include <array>
#include <string>
#include <string_view>

namespace tokprobe_sim {

// One accepted connection, plain or TLS; used by the one thread that serves it. It exists beside
// httplib's own stream because a simulator must see what that one hides: when the kernel received a
// request, that the peer has gone while nothing is written, and how to reset.
class Connection : public httplib::Stream {
 public:
  // Owns `socket`. `stop_fd` becomes readable when the server stops. `tls` may be null.
  Connection(socket_t socket, int stop_fd, SSL_CTX* tls);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The connection that the calling thread serves.
  static Connection* current();

  bool handshake();                         // true at once without TLS
  bool await_request(double idle_seconds);  // false: nothing came, or the server stops

  // CLOCK_MONOTONIC seconds at which the first bytes of the present request reached this machine's
  // kernel (SO_TIMESTAMPNS, so busy threads do not delay it); with TLS, when they were read.
  double received() const { return received_; }
  // Sleeps until wake(). False: the peer has closed, or the server stops.
  bool wait();
  void wake();  // from any thread

  // Sends without blocking; what does not fit is kept and goes first next time. The thread that
  // serves the connection may lend push() to another one, as long as it does nothing but wait().
  void push(std::string_view bytes);
  bool flush();  // blocks until all is sent; false: the peer is gone

  void drop();   // nothing can be written afterwards, and the connection ends with this request
  void reset();  // the same, and the peer gets a RST

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* out, size_t size) override;
  ssize_t write(const char* data, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  bool await(short events, double seconds) const;
  ssize_t receive();  // fills buffer_; -1 and errno EAGAIN when nothing is there
  ssize_t receive_stamped();
  bool retry_tls(int result) const;
  ssize_t send_some(const char* data, size_t size);

  socket_t socket_;
  int stop_fd_;
  int wake_fd_;
  SSL* ssl_ = nullptr;
  bool dead_ = false;
  std::string backlog_;
  std::array<char, 16384> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  double received_ = 0;
  bool stamp_next_ = true;
};

}  // namespace tokprobe_sim
