#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "probes/base/clock.h"
#include "probes/endpoint.h"
#include "probes/fetch.h"
#include "probes/transport/transport.h"

namespace tokprobe {

/// What a server says about itself. Empty: it does not say. Foreign text: `model` is kept as it
/// came, since it is sent back; the others are printable.
struct Identity {
  std::string model;    ///< the first one it lists
  std::string server;   ///< such as "vllm"
  std::string version;  ///< of the server
  bool operator==(const Identity&) const = default;
};

/// Reads the body of GET /v1/models into `identity`.
void read_models(std::string_view body, Identity& identity);
/// Reads the body of GET /version.
void read_version(std::string_view body, Identity& identity);

/// Asks a server who it is: GET /v1/models, then GET /version. Neither generates anything.
class Identification {
 public:
  Identification(const Endpoint& endpoint, Duration timeout, HttpTransport& transport,
                 const Clock& clock);
  ~Identification();
  Identification(const Identification&) = delete;
  Identification& operator=(const Identification&) = delete;
  /// Call after every run_until. The first call starts the work.
  void pump(Time now);
  bool done() const { return step_ == Step::kDone; }
  /// False when the server did not answer, or with neither 200 nor 404: then nothing is known.
  bool answered() const { return answered_; }
  const Identity& identity() const { return identity_; }

 private:
  enum class Step { kIdle, kModels, kVersion, kDone };
  void begin(Step step, std::string_view path);

  const Endpoint& endpoint_;
  Duration timeout_;
  HttpTransport& transport_;
  const Clock& clock_;
  Step step_ = Step::kIdle;
  std::unique_ptr<Fetch> fetch_;
  Identity identity_;
  bool answered_ = false;
};

}  // namespace tokprobe
