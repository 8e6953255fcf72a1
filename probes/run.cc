#include "probes/run.h"

#include <algorithm>

namespace tokprobe {
namespace {

// Two lengths show the fixed part of a prompt (the chat template) and the rate apart.
constexpr int kShortCalibrationWords = 24;
constexpr int kLongCalibrationWords = 400;

// Time stamps that may be later than this, and by more than a twentieth of the time to first token,
// are doubtful.
constexpr Duration kDoubtfulLag = std::chrono::milliseconds(20);

std::vector<int> calibration_lengths(const RunSpec& spec, const Requester& requester) {
  const int input = spec.shape.input_tokens;
  if (!spec.calibrate || !requester.worth_calibrating() || input <= 0) return {};
  const PromptSizer& sizer = requester.sizer();
  const int second =
      std::clamp(sizer.words_for(input), 2 * kShortCalibrationWords, kLongCalibrationWords);
  return {second, kShortCalibrationWords};
}

ProbeResult not_sent(const std::string& why, Time now) {
  ProbeResult result;
  result.reason = Reason::kInternal;
  result.detail = why;
  result.start = result.end = now;
  return result;
}

}  // namespace

Run::Run(RunSpec spec, Requester& requester, HttpTransport& transport, const Clock& clock)
    : spec_(std::move(spec)),
      requester_(requester),
      transport_(transport),
      clock_(clock),
      workers_(static_cast<std::size_t>(std::min(spec_.concurrency, spec_.requests))) {
  result_.target = spec_.target;
  result_.probe = spec_.probe;
  result_.concurrency = spec_.concurrency;
  result_.asked_input_tokens = spec_.shape.input_tokens;
  result_.asked_output_tokens = spec_.shape.output_tokens;
  result_.load = spec_.load;
}

Run::~Run() {
  if (!done_) cancel();
}

void Run::begin() {
  begun_ = true;
  calibrations_ = calibration_lengths(spec_, requester_);
  result_.started = clock_.wall();
}

void Run::pump(Time now) {
  if (done_) return;
  if (!begun_) begin();
  for (auto& worker : workers_) {
    if (worker) worker->check_time(transport_, now);
  }
  collect_ended();
  const bool idle = std::none_of(workers_.begin(), workers_.end(), [](auto& w) { return !!w; });
  if (calibrating_ && !idle) return;
  if (issued_ == 0 && start_calibration()) return;
  if (issued_ == 0) transport_.take_lag();  // what came before is not the run's
  for (auto& worker : workers_) {
    if (!worker) start_worker(worker);
  }
  done_ = issued_ == spec_.requests &&
          std::none_of(workers_.begin(), workers_.end(), [](auto& w) { return !!w; });
  if (done_) finish();
}

void Run::finish() {
  result_.client_lag = transport_.take_lag();
  for (ProbeResult& r : result_.requests) {
    const auto& ttft = r.timing.ttft;
    if (r.ok() && ttft && result_.client_lag > std::max<Duration>(kDoubtfulLag, *ttft / 20)) {
      r.warn(Warning::kClientLimited);
    }
  }
}

bool Run::start_calibration() {
  calibrating_ = false;
  if (calibrations_.empty()) return false;
  const int words = calibrations_.back();
  calibrations_.pop_back();
  auto spec = requester_.make_calibration(spec_.shape, words);
  if (!spec) return false;  // the measured requests will say why
  calibrating_ = true;
  workers_.front() = std::make_unique<Probe>(std::move(spec).value(), clock_);
  workers_.front()->start(transport_);
  return true;
}

void Run::start_worker(std::unique_ptr<Probe>& worker) {
  while (issued_ < spec_.requests) {
    ++issued_;
    auto spec = requester_.make(spec_.shape);
    if (spec) {
      worker = std::make_unique<Probe>(std::move(spec).value(), clock_);
      worker->start(transport_);
      return;
    }
    result_.requests.push_back(not_sent(spec.error(), clock_.now()));
  }
}

void Run::collect_ended() {
  std::vector<ProbeResult> ended;
  for (auto& worker : workers_) {
    if (!worker || !worker->done()) continue;
    ended.push_back(worker->take());
    worker.reset();
  }
  std::stable_sort(ended.begin(), ended.end(),
                   [](const ProbeResult& a, const ProbeResult& b) { return a.end < b.end; });
  for (ProbeResult& result : ended) keep(std::move(result));
}

void Run::keep(ProbeResult result) {
  if (result.reason == Reason::kCancelled) return;
  requester_.learn(result);
  if (!calibrating_) {
    result_.requests.push_back(std::move(result));
    return;
  }
  if (!result.ok()) {
    calibrations_.clear();
    requester_.give_up_calibration();
  }
  result_.unmeasured.push_back(std::move(result));
}

void Run::cancel() {
  for (auto& worker : workers_) {
    if (worker) worker->cancel(transport_);
  }
  collect_ended();
  result_.cancelled = true;
  done_ = true;
}

RunResult Run::take() { return std::move(result_); }

}  // namespace tokprobe
