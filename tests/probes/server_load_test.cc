#include "probes/server_load.h"

#include <gmock/gmock.h>

#include "probes/base/random.h"

namespace tokprobe {
namespace {

TEST(ServerLoad, ReadsEveryServersNames) {
  struct Page {
    const char* text;
    std::optional<double> running, waiting, kv_usage;
  };
  const Page pages[] = {
      {"# HELP vllm:num_requests_running x\n# TYPE vllm:num_requests_running gauge\n"
       "vllm:num_requests_running{engine=\"0\",model_name=\"a b\"} 3.0\n"
       "vllm:num_requests_running{engine=\"1\",model_name=\"a b\"} 2.0\n"
       "vllm:num_requests_waiting{engine=\"0\"} 1\nvllm:kv_cache_usage_perc{engine=\"0\"} 0.25\n"
       "vllm:kv_cache_usage_perc{engine=\"1\"} 0.5\n",
       5, 1, 0.5},
      {"sglang:num_running_reqs{tp_rank=\"0\"} 7\nsglang:num_queue_reqs{} 4\nsglang:token_usage "
       "0.9\n",
       7, 4, 0.9},
      {"llamacpp:requests_processing 1\nllamacpp:requests_deferred 0\n", 1, 0, std::nullopt},
      {"tgi_batch_current_size 8\ntgi_queue_size 2\n", 8, 2, std::nullopt},
      {"trtllm_num_requests_running 1 1700000000000\ntrtllm_kv_cache_utilization 0.125\n", 1,
       std::nullopt, 0.125},
      {"nv_trt_llm_request_metrics{model=\"m\",request_type=\"active\"} 5\n"
       "nv_trt_llm_request_metrics{model=\"m\",request_type=\"waiting\"} 6\n",
       5, 6, std::nullopt},
      {"vllm:num_requests_running 1\nvllm:gpu_cache_usage_perc 0.75\n", 1, std::nullopt, 0.75}};
  for (const Page& page : pages) {
    const ServerLoad load = read_server_load(page.text);
    EXPECT_EQ(load.running, page.running) << page.text;
    EXPECT_EQ(load.waiting, page.waiting) << page.text;
    EXPECT_EQ(load.kv_usage, page.kv_usage) << page.text;
  }
}

TEST(ServerLoad, WhatIsNotSaidIsAbsent) {
  for (const char* page :
       {"", "\n\n", "up 1\n", "vllm:num_requests_running NaN\n", "vllm:num_requests_running -1\n",
        "vllm:num_requests_running\n", "vllm:num_requests_running{a=\"b\" 3\n",
        "vllm:num_requests_runningx 3\n", "<html>503</html>", "vllm:kv_cache_usage_perc 73\n"}) {
    EXPECT_FALSE(read_server_load(page).any()) << page;
  }
}

TEST(ServerLoad, TakesAnyBytes) {
  Random random(1);
  const std::string good =
      "vllm:num_requests_running{engine=\"0\"} 3.0\nvllm:num_requests_waiting 1\n";
  for (int round = 0; round < 20'000; ++round) {
    std::string page = good;
    for (int i = 0; i < 4; ++i)
      page[random.below(page.size())] = static_cast<char>(random.below(256));
    const ServerLoad load = read_server_load(page.substr(0, random.below(page.size() + 1)));
    EXPECT_GE(load.running.value_or(0), 0);
  }
}

}  // namespace
}  // namespace tokprobe
