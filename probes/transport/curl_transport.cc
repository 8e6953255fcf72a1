#include "probes/transport/curl_transport.h"

#include <curl/curl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "probes/transport/transfer_internal.h"

namespace tokprobe {
namespace {

using internal::Transfer;

// Longest single wait: bounds what a jump of the timer or a lost wake-up can cost.
constexpr Duration kLongestWait = std::chrono::seconds(60);

// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {
    if (fd_ < 0) throw std::runtime_error("the kernel gave no descriptor for the event loop");
  }
  ~Descriptor() { ::close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

void init_libcurl_once() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_ALL); });
}

struct MultiDeleter {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

}  // namespace

struct CurlTransport::State {
  explicit State(const Clock& c)
      : clock(c),
        epoll(epoll_create1(EPOLL_CLOEXEC)),
        event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    init_libcurl_once();
    multi.reset(curl_multi_init());
    if (!multi) throw std::runtime_error("libcurl is out of memory");
    curl_multi_setopt(multi.get(), CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
    curl_multi_setopt(multi.get(), CURLMOPT_SOCKETFUNCTION, &State::on_socket);
    curl_multi_setopt(multi.get(), CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi.get(), CURLMOPT_TIMERFUNCTION, &State::on_timer);
    curl_multi_setopt(multi.get(), CURLMOPT_TIMERDATA, this);
    epoll_event e{};
    e.events = EPOLLIN;
    e.data.fd = event.get();
    epoll_ctl(epoll.get(), EPOLL_CTL_ADD, event.get(), &e);
  }

  static int on_socket(CURL*, curl_socket_t fd, int what, void* user, void*) {
    const int epoll = static_cast<State*>(user)->epoll.get();
    epoll_event e{};
    e.data.fd = fd;
    e.events =
        ((what & CURL_POLL_IN) != 0 ? EPOLLIN : 0U) | ((what & CURL_POLL_OUT) != 0 ? EPOLLOUT : 0U);
    if (what == CURL_POLL_REMOVE) {
      epoll_ctl(epoll, EPOLL_CTL_DEL, fd, &e);
    } else if (epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &e) != 0) {
      epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
    }
    return 0;
  }

  static int on_timer(CURLM*, long milliseconds, void* user) {
    auto& self = *static_cast<State*>(user);
    self.timer.reset();
    if (milliseconds >= 0) self.timer = self.clock.now() + std::chrono::milliseconds(milliseconds);
    return 0;
  }

  void act(curl_socket_t fd, int what) {
    int running = 0;
    curl_multi_socket_action(multi.get(), fd, what, &running);
  }

  // Handles what the kernel has for us; true when wake() was called.
  bool handle(const epoll_event* events, int count) {
    bool woken = false;
    for (int i = 0; i < count; ++i) {
      if (events[i].data.fd == event.get()) {
        std::uint64_t ignored = 0;
        woken = ::read(event.get(), &ignored, sizeof ignored) > 0;
        continue;
      }
      const std::uint32_t bits = events[i].events;
      act(events[i].data.fd, ((bits & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) |
                                 ((bits & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
                                 ((bits & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0));
    }
    return woken;
  }

  // Hands out the ends of transfers; true when there were any.
  bool reap() {
    bool any = false;
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      void* user = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &user);
      const auto& transfer = *static_cast<const Transfer*>(user);
      finish(*transfer.sink, outcome_of(transfer, message->data.result));
      any = true;
    }
    return any;
  }

  void finish(HttpSink& sink, const HttpOutcome& outcome) {
    const auto node = transfers.extract(&sink);
    curl_multi_remove_handle(multi.get(), node.mapped()->easy.get());
    sink.on_end(outcome, clock.now());
  }

  int wait_milliseconds(Time now, Time until) const {
    Duration wait = std::min<Duration>(until - now, kLongestWait);
    if (timer) wait = std::min<Duration>(wait, *timer - now);
    if (wait <= Duration::zero()) return 0;
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(wait).count());
  }

  const Clock& clock;
  Descriptor epoll;
  Descriptor event;
  std::unique_ptr<CURLM, MultiDeleter> multi;
  std::map<HttpSink*, std::unique_ptr<Transfer>> transfers;
  std::optional<Time> timer;
  std::optional<Time> busy_since;
  Duration lag{0};
};

CurlTransport::CurlTransport(const Clock& clock) : state_(std::make_unique<State>(clock)) {}

CurlTransport::~CurlTransport() {
  while (!state_->transfers.empty()) cancel(*state_->transfers.begin()->first);
}

void CurlTransport::start(const HttpRequest& request, HttpSink& sink) {
  auto transfer = std::make_unique<Transfer>(request, sink, state_->clock);
  CURL* easy = transfer->easy.get();
  state_->transfers.emplace(&sink, std::move(transfer));
  curl_multi_add_handle(state_->multi.get(), easy);
}

void CurlTransport::cancel(HttpSink& sink) {
  const auto found = state_->transfers.find(&sink);
  if (found == state_->transfers.end()) return;
  HttpOutcome outcome;
  outcome.end = TransferEnd::kCancelled;
  internal::read_phases(*found->second, outcome);
  state_->finish(sink, outcome);
}

void CurlTransport::run_until(Time until) {
  State& s = *state_;
  std::array<epoll_event, 256> events;
  for (Time now = s.clock.now();;) {
    if (s.busy_since) s.lag = std::max<Duration>(s.lag, now - *s.busy_since);
    const int count = epoll_wait(s.epoll.get(), events.data(), static_cast<int>(events.size()),
                                 s.wait_milliseconds(now, until));
    s.busy_since = s.clock.now();
    const bool woken = s.handle(events.data(), count);
    now = s.clock.now();
    if (s.timer && *s.timer <= now) {
      s.timer.reset();
      s.act(CURL_SOCKET_TIMEOUT, 0);
    }
    const bool ended = s.reap();
    now = s.clock.now();
    if (woken || ended || now >= until) return;
  }
}

void CurlTransport::wake() {
  const std::uint64_t one = 1;
  // A full counter means that a wake-up is pending already.
  [[maybe_unused]] const auto written = ::write(state_->event.get(), &one, sizeof one);
}

Duration CurlTransport::take_lag() { return std::exchange(state_->lag, Duration::zero()); }

}  // namespace tokprobe
