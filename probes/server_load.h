#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "probes/base/clock.h"
#include "probes/endpoint.h"
#include "probes/fetch.h"
#include "probes/result.h"
#include "probes/transport/transport.h"

namespace tokprobe {

/// Reads a metrics page (Prometheus text) of vLLM, SGLang, llama.cpp, TGI, TensorRT-LLM, Triton,
/// Dynamo or NIM. Requests are summed over engines and ranks; of several KV caches the fullest
/// counts. Any bytes are accepted; values that are not finite or are negative are passed over.
ServerLoad read_server_load(std::string_view page);

/// Where a server's metrics are, once it is known.
struct LoadSource {
  std::string path;                ///< empty: not known
  std::optional<Time> not_before;  ///< after a search in vain: when to search again
};

/// Asks a server for its load just before a run: one GET, or a few while its path is searched.
class LoadReading {
 public:
  /// `source` is read, and written when the search ends. The references must outlive the reading.
  LoadReading(const Endpoint& endpoint, LoadSource& source, HttpTransport& transport,
              const Clock& clock);
  ~LoadReading();
  LoadReading(const LoadReading&) = delete;
  LoadReading& operator=(const LoadReading&) = delete;
  /// Call after every run_until. The first call starts the work.
  void pump(Time now);
  bool done() const { return done_; }
  const ServerLoad& load() const { return load_; }

 private:
  void begin(std::string_view path);
  void take(Time now);

  const Endpoint& endpoint_;
  LoadSource& source_;
  HttpTransport& transport_;
  const Clock& clock_;
  std::unique_ptr<Fetch> fetch_;
  std::size_t next_path_ = 0;
  std::string path_;
  ServerLoad load_;
  bool begun_ = false;
  bool done_ = false;
};

}  // namespace tokprobe
