#pragma once

#include "tests/sim/generation.h"
#include "tests/sim/http_server.h"

namespace tokprobe_sim {

// Adds all endpoints to `server`; `shared` must outlive it.
void add_handlers(HttpServer& server, Shared& shared);

}  // namespace tokprobe_sim
