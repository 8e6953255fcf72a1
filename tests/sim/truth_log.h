#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tokprobe_sim {

// What really happened to one generation request. Times are CLOCK_MONOTONIC in seconds; those of
// writes are taken immediately before the write call.
struct TruthRecord {
  uint64_t id = 0;
  std::string x_request_id;  // header X-Request-Id
  std::string endpoint;
  std::string user_agent;
  bool stream = false;
  int status = 200;
  int prompt_tokens = 0;
  int cached_tokens = 0;
  int output_tokens = 0;      // written, or computed when the answer is not streamed
  std::string finish_reason;  // stop, length, error; abort: no end was sent
  std::string fault;          // kind, or empty
  int concurrency = 0;        // running requests at admission, this one included
  double received = 0;        // the kernel got the first bytes of the request
  std::optional<double> admitted;
  std::optional<double> first_token_written;
  std::optional<double> last_token_written;
  double ended =
      0;  // just before the end of the response is written, or the connection is given up
  std::vector<std::pair<double, int>> chunk_times;  // each write with text: time, tokens
};

// The last records, in the order in which requests ended. Thread-safe.
class TruthLog {
 public:
  static constexpr size_t kMaxRecords = 20000;
  static constexpr size_t kMaxChunks = 4'000'000;  // over all records; the oldest lose theirs first
  static constexpr size_t kMaxChunksEach = 16384;  // later ones of a record are not kept

  void add(TruthRecord record);
  void clear();

  struct Query {
    uint64_t since = 0;        // only records with a greater id
    std::string x_request_id;  // only these, when not empty
    bool chunks = true;        // with chunk_times
  };
  std::string to_json(const Query& query) const;

 private:
  mutable std::mutex mutex_;
  std::deque<TruthRecord> records_;
  size_t chunks_ = 0;
  size_t stripped_ = 0;  // leading records without chunk_times
};

}  // namespace tokprobe_sim
