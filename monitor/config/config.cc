#include "monitor/config/config.h"

#include <algorithm>

namespace tokprobe {
namespace {

using namespace std::chrono_literals;

ProbeConfig probe(std::string_view name, Duration interval, int concurrency, int requests,
                  Timeouts timeout) {
  ProbeConfig out;
  out.name = name;
  out.interval = interval;
  out.concurrency = {concurrency};
  out.requests = requests;
  out.timeout = timeout;
  return out;
}

}  // namespace

bool ProbeConfig::applies_to(std::string_view target) const {
  return this->targets.empty() ||
         std::find(this->targets.begin(), this->targets.end(), target) != this->targets.end();
}

// Time-outs leave room for every request of a turn to run into them within the interval.
std::vector<ProbeConfig> default_probes() {
  ProbeConfig heartbeat = probe("heartbeat", 1min, 1, 1, {5s, 30s, 15s, 45s});
  ProbeConfig speed = probe("speed", 5min, 1, 2, {5s, 60s, 30s, 2min});
  speed.input_tokens = 1000;
  speed.output_tokens = 200;
  ProbeConfig load = probe("load", 1h, 8, 16, {5s, 2min, 1min, 10min});
  load.input_tokens = 1000;
  load.output_tokens = 200;
  ProbeConfig longest = probe("long", 6h, 1, 1, {5s, 5min, 1min, 15min});
  longest.input_tokens = 30'000;
  longest.output_tokens = 200;
  longest.enabled = false;
  return {heartbeat, speed, load, longest};
}

}  // namespace tokprobe
