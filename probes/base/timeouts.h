#pragma once

#include "probes/base/clock.h"

namespace tokprobe {

/// Time-outs of one request.
struct Timeouts {
  Duration connect = std::chrono::seconds(5);       ///< name, TCP and TLS together
  Duration first_token = std::chrono::seconds(60);  ///< from sending to the first token
  Duration stall = std::chrono::seconds(30);        ///< silence once tokens have begun
  Duration total = std::chrono::minutes(5);         ///< the whole request
};

}  // namespace tokprobe
