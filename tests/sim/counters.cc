#include "tests/sim/counters.h"

#include <fmt/format.h>

#include <algorithm>

namespace tokprobe_sim {
namespace {

std::string escape(const std::string& label) {
  std::string out;
  for (const char c : label) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

void Counters::finish(const std::string& reason) {
  for (size_t i = 0; i < kReasons.size(); ++i) {
    if (reason == kReasons[i]) ++finished[i];
  }
}

void Counters::clear() {
  prompt_tokens = 0;
  generation_tokens = 0;
  for (auto& count : finished) count = 0;
}

std::string metrics_page(const Counters& counters, const Load& load, int kv_tokens,
                         const std::string& model) {
  const std::string label = fmt::format("model_name=\"{}\"", escape(model));
  std::string page;
  const auto family = [&](const char* name, const char* type, const char* help, auto value) {
    page += fmt::format("# HELP vllm:{0} {1}\n# TYPE vllm:{0} {2}\n", name, help, type);
    page += fmt::format("vllm:{}{{{}}} {}\n", name, label, value);
  };
  family("num_requests_running", "gauge", "Number of requests in model execution batches.",
         load.running);
  family("num_requests_waiting", "gauge", "Number of requests waiting to be processed.",
         load.waiting);
  family("kv_cache_usage_perc", "gauge", "KV-cache usage. 1 means 100 percent usage.",
         std::min(1.0, load.kv_tokens / kv_tokens));
  family("prompt_tokens_total", "counter", "Number of prefill tokens processed.",
         counters.prompt_tokens.load());
  family("generation_tokens_total", "counter", "Number of generation tokens processed.",
         counters.generation_tokens.load());
  page +=
      "# HELP vllm:request_success_total Count of processed requests.\n"
      "# TYPE vllm:request_success_total counter\n";
  for (size_t i = 0; i < Counters::kReasons.size(); ++i) {
    page += fmt::format("vllm:request_success_total{{finished_reason=\"{}\",{}}} {}\n",
                        Counters::kReasons[i], label, counters.finished[i].load());
  }
  return page;
}

}  // namespace tokprobe_sim
