#pragma once

#include <curl/curl.h>

#include <array>
#include <memory>
#include <string>

#include "probes/base/clock.h"
#include "probes/transport/transport.h"

namespace tokprobe::internal {

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

/// One libcurl transfer and what its callbacks note on the way. Its address is libcurl's user
/// pointer: it never moves.
struct Transfer {
  Transfer(const HttpRequest& request, HttpSink& to, const Clock& clock_to_read);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  std::unique_ptr<curl_slist, ListDeleter> header_list;
  std::string body;
  std::unique_ptr<CURL, EasyDeleter> easy;
  HttpSink* sink;
  const Clock* clock;
  HttpHead head;
  std::size_t header_bytes = 0;
  bool head_done = false;
  bool stopped = false;       ///< the sink said stop
  bool head_too_big = false;  ///< the header limit was passed
  int prereq_calls = 0;
  std::array<char, CURL_ERROR_SIZE> error_text{};  ///< libcurl's own words
  bool repeated = false;  ///< libcurl wanted to send the request a second time
};

/// What libcurl's result code means for a transfer that has ended.
HttpOutcome outcome_of(const Transfer& transfer, CURLcode code);
/// Fills in the phases that libcurl has timed so far.
void read_phases(const Transfer& transfer, HttpOutcome& outcome);

}  // namespace tokprobe::internal
