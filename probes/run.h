#pragma once

#include <memory>
#include <string>
#include <vector>

#include "probes/base/clock.h"
#include "probes/probe.h"
#include "probes/requester.h"
#include "probes/result.h"
#include "probes/transport/transport.h"

namespace tokprobe {

struct RunSpec {
  std::string target, probe;
  int concurrency = 1;
  int requests = 1;
  Shape shape;
  ServerLoad load;        ///< goes into the result
  bool calibrate = true;  ///< learn the prompt length first, when nothing is known about it
};

/// How often check_time of requests under way is worth calling: the precision of time-outs.
inline constexpr Duration kTick = std::chrono::milliseconds(10);

/// A run on its way: C workers together issue the requests, each starting its next when its last
/// ends. All on the transport's thread; `pump` does the work.
class Run {
 public:
  /// The references must outlive the run.
  Run(RunSpec spec, Requester& requester, HttpTransport& transport, const Clock& clock);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Call after every HttpTransport::run_until, and at least every kTick: collects what has
  /// ended, starts what is next, watches the time-outs. The first call starts the run.
  void pump(Time now);
  bool done() const { return done_; }
  /// Ends what is under way; the run is then done.
  void cancel();
  /// Requires done().
  RunResult take();

 private:
  void begin();
  void start_worker(std::unique_ptr<Probe>& worker);
  bool start_calibration();
  void collect_ended();
  void keep(ProbeResult result);
  void finish();

  RunSpec spec_;
  Requester& requester_;
  HttpTransport& transport_;
  const Clock& clock_;
  RunResult result_;
  std::vector<std::unique_ptr<Probe>> workers_;
  std::vector<int> calibrations_;  ///< prompt lengths in words, still to be tried
  int issued_ = 0;
  bool begun_ = false;
  bool calibrating_ = false;
  bool done_ = false;
};

}  // namespace tokprobe
