#include <cerrno>
#include <charconv>
#include <stdexcept>
#include <system_error>

#include "probes/base/text.h"
#include "probes/transport/transfer_internal.h"

namespace tokprobe::internal {
namespace {

constexpr std::size_t kMaxHeaderBytes = 100'000;
// Our own loop watches the time; libcurl's default of 300 s must not end a transfer first.
constexpr long kNoConnectTimeoutSeconds = 1'000'000;

int on_prereq(void* user, char*, char*, int, int) {
  auto& transfer = *static_cast<Transfer*>(user);
  if (++transfer.prereq_calls > 1) {
    // libcurl found a kept connection dead and repeats the request by itself. A probe that is
    // sent twice would be counted once.
    transfer.repeated = true;
    return CURL_PREREQFUNC_ABORT;
  }
  transfer.sink->on_sent(transfer.clock->now());
  return CURL_PREREQFUNC_OK;
}

void begin_head(Transfer& transfer, std::string_view line) {
  transfer.head = HttpHead{};
  const auto space = line.find(' ');
  if (space == std::string_view::npos) return;
  std::from_chars(line.data() + space + 1, line.data() + line.size(), transfer.head.status);
}

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::size_t bytes = size * count;
  transfer.header_bytes += bytes;
  if (transfer.header_bytes > kMaxHeaderBytes) {
    transfer.head_too_big = true;
    return 0;
  }
  if (transfer.head_done) return bytes;  // trailers
  const std::string_view line = trim({data, bytes});
  if (line.starts_with("HTTP/")) {
    begin_head(transfer, line);
  } else if (line.empty()) {
    if (transfer.head.status < 200) return bytes;
    transfer.head_done = true;
    transfer.sink->on_headers(transfer.head, transfer.clock->now());
  } else if (const auto colon = line.find(':'); colon != std::string_view::npos) {
    transfer.head.headers.emplace_back(lower(trim(line.substr(0, colon))),
                                       std::string(trim(line.substr(colon + 1))));
  }
  return bytes;
}

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const Time now = transfer.clock->now();
  if (transfer.sink->on_body({data, size * count}, now)) return size * count;
  transfer.stopped = true;
  return 0;
}

template <class T>
void set(CURL* easy, CURLoption option, T value) {
  curl_easy_setopt(easy, option, value);
}

void set_tls(CURL* easy, const HttpRequest& request) {
  // With a CA path libcurl reads the store anew for every connection, in the loop; without one it
  // keeps it.
  set(easy, CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  if (!request.ca_file.empty()) set(easy, CURLOPT_CAINFO, request.ca_file.c_str());
  if (request.insecure) {
    set(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    set(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  }
}

void set_connection(CURL* easy, const HttpRequest& request) {
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_TCP_NODELAY, 1L);
  set(easy, CURLOPT_CONNECTTIMEOUT, kNoConnectTimeoutSeconds);
  set(easy, CURLOPT_QUICK_EXIT, 1L);  // a hanging name server must not hold the loop
  set(easy, CURLOPT_PROXY, request.proxy.c_str());
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy, CURLOPT_ACCEPT_ENCODING, "identity");
  if (request.fresh_connection) {
    set(easy, CURLOPT_FRESH_CONNECT, 1L);
    set(easy, CURLOPT_FORBID_REUSE, 1L);
    set(easy, CURLOPT_DNS_CACHE_TIMEOUT, 0L);
  }
}

std::optional<Duration> micros(CURL* easy, CURLINFO info) {
  curl_off_t value = 0;
  if (curl_easy_getinfo(easy, info, &value) != CURLE_OK || value <= 0) return std::nullopt;
  return std::chrono::microseconds(value);
}

long system_error(const Transfer& transfer) {
  long error = 0;
  curl_easy_getinfo(transfer.easy.get(), CURLINFO_OS_ERRNO, &error);
  return error;
}

// Why the transfer ended, in the same words for the same cause: no times, no counters.
std::string described(const Transfer& transfer, CURLcode code) {
  const long error = system_error(transfer);
  if (code == CURLE_COULDNT_CONNECT && error == 0) {
    return "this machine gave no socket: it may be out of file descriptors";
  }
  if (code == CURLE_COULDNT_CONNECT) {
    return "no connection to the server: " +
           std::generic_category().message(static_cast<int>(error));
  }
  const std::string_view words = transfer.error_text.data();
  return printable(words.empty() ? curl_easy_strerror(code) : words);
}

// Without an error of the system there was not even a socket: that is our machine's fault.
TransferEnd connect_error(const Transfer& transfer) {
  switch (system_error(transfer)) {
    case 0:
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
    case EADDRNOTAVAIL:
      return TransferEnd::kInternal;
    default:
      return TransferEnd::kConnect;
  }
}

TransferEnd receive_error(const Transfer& transfer) {
  // libcurl gives one code for a cut connection and for broken framing; the system's error tells.
  const long error = system_error(transfer);
  return error == ECONNRESET || error == EPIPE ? TransferEnd::kReset : TransferEnd::kProtocol;
}

TransferEnd meaning(const Transfer& transfer, CURLcode code) {
  if (transfer.stopped) return TransferEnd::kStopped;
  if (transfer.head_too_big) return TransferEnd::kProtocol;
  if (transfer.repeated) return TransferEnd::kReset;
  switch (code) {
    case CURLE_OK:
      return TransferEnd::kComplete;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return TransferEnd::kDns;
    case CURLE_COULDNT_CONNECT:
      return connect_error(transfer);
    case CURLE_INTERFACE_FAILED:
    case CURLE_PROXY:
    case CURLE_OPERATION_TIMEDOUT:  // the kernel's own connect time-out
      return TransferEnd::kConnect;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
      return TransferEnd::kTls;
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
      return receive_error(transfer);
    case CURLE_GOT_NOTHING:
      return TransferEnd::kReset;
    case CURLE_PARTIAL_FILE:
      return TransferEnd::kTruncated;
    case CURLE_UNSUPPORTED_PROTOCOL:  // also: what came was not HTTP
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_OUT_OF_MEMORY:  // also: one header line over 100 kB
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return TransferEnd::kProtocol;
    default:
      return TransferEnd::kInternal;
  }
}

}  // namespace

Transfer::Transfer(const HttpRequest& request, HttpSink& to, const Clock& clock_to_read)
    : body(request.body), easy(curl_easy_init()), sink(&to), clock(&clock_to_read) {
  if (!easy) throw std::runtime_error("libcurl is out of memory");
  CURL* e = easy.get();
  for (const std::string& line : request.headers) {
    header_list.reset(curl_slist_append(header_list.release(), line.c_str()));
  }
  header_list.reset(curl_slist_append(header_list.release(), "Expect:"));
  set(e, CURLOPT_URL, request.url.c_str());
  set(e, CURLOPT_HTTPHEADER, header_list.get());
  if (request.method == "POST") {
    set(e, CURLOPT_POST, 1L);
    set(e, CURLOPT_POSTFIELDS, body.data());
    set(e, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  }
  set_connection(e, request);
  set_tls(e, request);
  curl_easy_setopt(e, CURLOPT_PREREQFUNCTION, on_prereq);
  set(e, CURLOPT_PREREQDATA, this);
  curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
  set(e, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
  set(e, CURLOPT_WRITEDATA, this);
  set(e, CURLOPT_PRIVATE, static_cast<void*>(this));
  set(e, CURLOPT_ERRORBUFFER, error_text.data());
}

void read_phases(const Transfer& transfer, HttpOutcome& outcome) {
  CURL* easy = transfer.easy.get();
  long connects = 0;
  curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &connects);
  const auto name = micros(easy, CURLINFO_NAMELOOKUP_TIME_T);
  const auto connect = micros(easy, CURLINFO_CONNECT_TIME_T);
  const auto tls = micros(easy, CURLINFO_APPCONNECT_TIME_T);
  outcome.connected = transfer.prereq_calls > 0;
  outcome.resolved = name.has_value();
  // On a kept connection libcurl gives a lookup time for a lookup that never was.
  if (outcome.connected && connects == 0) return;
  outcome.dns = name;
  if (name && connect) outcome.connect = *connect - *name;
  if (connect && tls) outcome.tls = *tls - *connect;
}

HttpOutcome outcome_of(const Transfer& transfer, CURLcode code) {
  HttpOutcome outcome;
  outcome.end = meaning(transfer, code);
  if (transfer.repeated) {
    outcome.detail = "the server closed a kept connection before answering";
  } else if (transfer.head_too_big) {
    outcome.detail = "the headers are larger than 100 kB";
  } else if (outcome.end != TransferEnd::kComplete && outcome.end != TransferEnd::kStopped) {
    outcome.detail = described(transfer, code);
  }
  read_phases(transfer, outcome);
  return outcome;
}

}  // namespace tokprobe::internal
