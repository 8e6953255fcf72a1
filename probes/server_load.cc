#include "probes/server_load.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace tokprobe {
namespace {

enum class Quantity { kRunning, kWaiting, kKvUsage };

// What each server calls it; `label` must stand in the braces where it is not empty. Where a server
// has an old and a new name, the first one of a quantity that is on the page counts.
struct Alias {
  Quantity quantity;
  std::string_view name;
  std::string_view label;
};
constexpr std::array<Alias, 26> kAliases{{
    {Quantity::kRunning, "vllm:num_requests_running", ""},
    {Quantity::kRunning, "sglang:num_running_reqs", ""},
    {Quantity::kRunning, "llamacpp:requests_processing", ""},
    {Quantity::kRunning, "tgi_batch_current_size", ""},
    {Quantity::kRunning, "trtllm_num_requests_running", ""},
    {Quantity::kRunning, "nv_trt_llm_request_metrics", "request_type=\"active\""},
    {Quantity::kRunning, "dynamo_frontend_inflight_requests", ""},
    {Quantity::kRunning, "num_requests_running", ""},
    {Quantity::kWaiting, "vllm:num_requests_waiting", ""},
    {Quantity::kWaiting, "vllm:num_requests_waiting_by_reason", ""},
    {Quantity::kWaiting, "sglang:num_queue_reqs", ""},
    {Quantity::kWaiting, "llamacpp:requests_deferred", ""},
    {Quantity::kWaiting, "tgi_queue_size", ""},
    {Quantity::kWaiting, "trtllm_num_requests_waiting", ""},
    {Quantity::kWaiting, "nv_trt_llm_request_metrics", "request_type=\"waiting\""},
    {Quantity::kWaiting, "dynamo_frontend_queued_requests", ""},
    {Quantity::kWaiting, "num_requests_waiting", ""},
    {Quantity::kKvUsage, "vllm:kv_cache_usage_perc", ""},
    {Quantity::kKvUsage, "vllm:gpu_cache_usage_perc", ""},
    {Quantity::kKvUsage, "sglang:token_usage", ""},
    {Quantity::kKvUsage, "sglang:full_token_usage", ""},
    {Quantity::kKvUsage, "trtllm_kv_cache_utilization", ""},
    {Quantity::kKvUsage, "nv_trt_llm_kv_cache_block_metrics", "kv_cache_block_type=\"fraction\""},
    {Quantity::kKvUsage, "dynamo_component_kvstats_gpu_cache_usage_percent", ""},
    {Quantity::kKvUsage, "gpu_cache_usage_perc", ""},
    {Quantity::kKvUsage, "kv_cache_usage_perc", ""},
}};

// TensorRT-LLM's own page first: its /metrics is another thing, which is emptied by reading.
constexpr std::array<std::string_view, 2> kPaths{"/prometheus/metrics", "/metrics"};
constexpr Duration kTimeout = std::chrono::seconds(2);
constexpr Duration kSearchEvery = std::chrono::minutes(10);

// A line `name{labels} value [timestamp]` in its parts; an empty name when it is something else.
struct Sample {
  std::string_view name, labels;
  double value = -1;
};

Sample parse_line(std::string_view line) {
  Sample sample;
  if (line.empty() || line.front() == '#') return sample;
  const auto name_end = std::min(line.find_first_of("{ "), line.size());
  std::string_view rest = line.substr(name_end);
  if (rest.starts_with('{')) {
    const auto close = rest.rfind('}');
    if (close == std::string_view::npos) return sample;
    sample.labels = rest.substr(1, close - 1);
    rest.remove_prefix(close + 1);
  }
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  double value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc() || !std::isfinite(value) || value < 0) return sample;
  sample.name = line.substr(0, name_end);
  sample.value = value;
  return sample;
}

}  // namespace

ServerLoad read_server_load(std::string_view page) {
  std::array<std::optional<double>, kAliases.size()> found;
  while (!page.empty()) {
    const auto end = std::min(page.find('\n'), page.size());
    const Sample sample = parse_line(page.substr(0, end));
    page.remove_prefix(std::min(end + 1, page.size()));
    for (std::size_t i = 0; i < kAliases.size(); ++i) {
      const Alias& alias = kAliases[i];
      if (sample.name != alias.name) continue;
      if (sample.labels.find(alias.label) == std::string_view::npos) continue;
      const double before = found[i].value_or(0);
      found[i] = alias.quantity == Quantity::kKvUsage ? std::max(before, sample.value)
                                                      : before + sample.value;
    }
  }
  ServerLoad load;
  const auto first = [&](Quantity quantity) -> std::optional<double> {
    for (std::size_t i = 0; i < kAliases.size(); ++i) {
      if (kAliases[i].quantity == quantity && found[i]) return found[i];
    }
    return std::nullopt;
  };
  load.running = first(Quantity::kRunning);
  load.waiting = first(Quantity::kWaiting);
  load.kv_usage = first(Quantity::kKvUsage);
  if (load.kv_usage > 1) load.kv_usage.reset();  // not a share: some other meaning
  return load;
}

LoadReading::LoadReading(const Endpoint& endpoint, LoadSource& source, HttpTransport& transport,
                         const Clock& clock)
    : endpoint_(endpoint), source_(source), transport_(transport), clock_(clock) {}

LoadReading::~LoadReading() {
  if (fetch_) fetch_->cancel(transport_);
}

void LoadReading::begin(std::string_view path) {
  path_ = path;
  auto request = make_request(endpoint_, path, "", "");
  if (!request) {
    done_ = true;
    return;
  }
  fetch_ = std::make_unique<Fetch>(std::move(request).value(), kTimeout, clock_);
  fetch_->start(transport_);
}

void LoadReading::pump(Time now) {
  if (done_) return;
  if (!begun_) {
    begun_ = true;
    if (source_.path.empty() && source_.not_before && now < *source_.not_before) {
      done_ = true;
      return;
    }
    begin(source_.path.empty() ? kPaths[next_path_++] : std::string_view(source_.path));
  }
  if (done_) return;
  fetch_->check_time(transport_, now);
  if (fetch_->done()) take(now);
}

void LoadReading::take(Time now) {
  if (fetch_->ok()) load_ = read_server_load(fetch_->body());
  if (load_.any()) {
    source_.path = path_;
    done_ = true;
    return;
  }
  // A known page that is silent once, or a server that is down, ends no search for good.
  const bool searching = source_.path.empty();
  if (searching && next_path_ < kPaths.size() && fetch_->head().status != 0) {
    begin(kPaths[next_path_++]);
    return;
  }
  if (searching && fetch_->head().status != 0) source_.not_before = now + kSearchEvery;
  done_ = true;
}

}  // namespace tokprobe
