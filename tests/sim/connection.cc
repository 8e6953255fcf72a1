#include "tests/sim/connection.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "tests/sim/clock.h"

namespace tokprobe_sim {
namespace {

constexpr double kReadSeconds = 30;
constexpr double kWriteSeconds = 120;

thread_local Connection* current_connection = nullptr;

timespec to_timespec(double seconds) {
  seconds = std::clamp(seconds, 0.0, 1e8);
  const double whole = std::floor(seconds);
  return {static_cast<time_t>(whole), static_cast<long>((seconds - whole) * 1e9)};
}

void describe(const sockaddr_in& address, std::string& ip, int& port) {
  std::array<char, INET_ADDRSTRLEN> text{};
  inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
  ip = text.data();
  port = ntohs(address.sin_port);
}

}  // namespace

Connection::Connection(socket_t socket, int stop_fd, SSL_CTX* tls)
    : socket_(socket), stop_fd_(stop_fd), wake_fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  const int on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(socket_, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  fcntl(socket_, F_SETFL, fcntl(socket_, F_GETFL) | O_NONBLOCK);
  if (tls != nullptr) {
    ssl_ = SSL_new(tls);
    SSL_set_fd(ssl_, socket_);
  }
  current_connection = this;
}

Connection::~Connection() {
  current_connection = nullptr;
  if (ssl_ != nullptr) {
    if (!dead_ && SSL_is_init_finished(ssl_) == 1) SSL_shutdown(ssl_);
    SSL_free(ssl_);
  }
  if (!dead_) shutdown(socket_, SHUT_RDWR);
  close(socket_);
  close(wake_fd_);
}

Connection* Connection::current() { return current_connection; }

bool Connection::await(short events, double seconds) const {
  std::array<pollfd, 2> fds = {{{socket_, events, 0}, {stop_fd_, POLLIN, 0}}};
  const double deadline = now_seconds() + seconds;
  while (true) {
    const timespec left = to_timespec(deadline - now_seconds());
    const int ready = ppoll(fds.data(), fds.size(), &left, nullptr);
    if (ready < 0 && errno == EINTR) continue;
    return ready > 0 && fds[1].revents == 0;
  }
}

bool Connection::retry_tls(int result) const {
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ:
      return await(POLLIN, kReadSeconds);
    case SSL_ERROR_WANT_WRITE:
      return await(POLLOUT, kWriteSeconds);
    default:
      return false;
  }
}

bool Connection::handshake() {
  if (ssl_ == nullptr) return true;
  int result = SSL_accept(ssl_);
  while (result != 1 && retry_tls(result)) result = SSL_accept(ssl_);
  dead_ = result != 1;
  return !dead_;
}

bool Connection::await_request(double idle_seconds) {
  stamp_next_ = true;
  if (dead_) return false;
  if (begin_ < end_ || (ssl_ != nullptr && SSL_pending(ssl_) > 0)) return true;
  return await(POLLIN, idle_seconds);
}

bool Connection::wait() {
  std::array<pollfd, 3> fds = {
      {{socket_, POLLRDHUP, 0}, {stop_fd_, POLLIN, 0}, {wake_fd_, POLLIN, 0}}};
  while (poll(fds.data(), fds.size(), -1) < 0 && errno == EINTR) {
  }
  eventfd_t ignored = 0;
  eventfd_read(wake_fd_, &ignored);
  return fds[0].revents == 0 && fds[1].revents == 0;
}

void Connection::wake() { eventfd_write(wake_fd_, 1); }

void Connection::reset() {
  const linger now = {1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  drop();
}

void Connection::drop() { dead_ = true; }

bool Connection::is_readable() const { return begin_ < end_ || await(POLLIN, kReadSeconds); }

bool Connection::is_writable() const { return !dead_; }

ssize_t Connection::receive_stamped() {
  alignas(cmsghdr) std::array<char, 256> control{};
  iovec into = {buffer_.data(), buffer_.size()};
  msghdr message{};
  message.msg_iov = &into;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t got = recvmsg(socket_, &message, 0);
  if (got <= 0 || !stamp_next_) return got;
  received_ = now_seconds();
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS) continue;
    timespec stamp{};
    std::memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
    timespec wall{};
    clock_gettime(CLOCK_REALTIME, &wall);
    // The kernel stamps with the wall clock; only an age of some milliseconds is taken from it, so
    // a clock that was stepped just now must not move us.
    const double age = static_cast<double>(wall.tv_sec - stamp.tv_sec) +
                       static_cast<double>(wall.tv_nsec - stamp.tv_nsec) * 1e-9;
    if (age > 0 && age < 5) received_ -= age;
  }
  stamp_next_ = false;
  return got;
}

ssize_t Connection::receive() {
  if (ssl_ == nullptr) return receive_stamped();
  const int got = SSL_read(ssl_, buffer_.data(), static_cast<int>(buffer_.size()));
  if (got > 0) {
    if (std::exchange(stamp_next_, false)) received_ = now_seconds();
    return got;
  }
  errno = EAGAIN;
  return SSL_get_error(ssl_, got) == SSL_ERROR_ZERO_RETURN ? 0 : retry_tls(got) ? -1 : 0;
}

ssize_t Connection::read(char* out, size_t size) {
  while (begin_ == end_) {
    const ssize_t got = dead_ ? 0 : receive();
    if (got > 0) {
      begin_ = 0;
      end_ = static_cast<size_t>(got);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      return got;
    } else if (ssl_ == nullptr && !await(POLLIN, kReadSeconds)) {
      return -1;
    }
  }
  const size_t take = std::min(size, end_ - begin_);
  std::memcpy(out, buffer_.data() + begin_, take);
  begin_ += take;
  return static_cast<ssize_t>(take);
}

// Bytes sent; 0: the peer's window is full. Anything worse marks the connection as dead.
ssize_t Connection::send_some(const char* data, size_t size) {
  if (dead_) return 0;
  if (ssl_ != nullptr) {
    const int sent = SSL_write(ssl_, data, static_cast<int>(size));
    if (sent > 0) return sent;
    const int error = SSL_get_error(ssl_, sent);
    dead_ = error != SSL_ERROR_WANT_WRITE && error != SSL_ERROR_WANT_READ;
    return 0;
  }
  const ssize_t sent = send(socket_, data, size, MSG_NOSIGNAL);
  if (sent > 0) return sent;
  dead_ = errno != EAGAIN && errno != EINTR;
  return 0;
}

ssize_t Connection::write(const char* data, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t sent = send_some(data + done, size - done);
    if (sent == 0 && !dead_) dead_ = !await(POLLOUT, kWriteSeconds);
    if (dead_) return -1;
    done += static_cast<size_t>(sent);
  }
  return static_cast<ssize_t>(size);
}

void Connection::push(std::string_view bytes) {
  if (backlog_.empty()) {
    bytes.remove_prefix(static_cast<size_t>(send_some(bytes.data(), bytes.size())));
    backlog_ = bytes;
    return;
  }
  backlog_ += bytes;
  backlog_.erase(0, static_cast<size_t>(send_some(backlog_.data(), backlog_.size())));
}

bool Connection::flush() {
  const std::string rest = std::exchange(backlog_, {});
  return write(rest.data(), rest.size()) >= 0;
}

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  getpeername(socket_, reinterpret_cast<sockaddr*>(&address), &size);
  describe(address, ip, port);
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
  describe(address, ip, port);
}

}  // namespace tokprobe_sim
