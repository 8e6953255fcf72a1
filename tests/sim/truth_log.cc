#include "tests/sim/truth_log.h"

#include <nlohmann/json.hpp>

namespace tokprobe_sim {
namespace {

using nlohmann::json;

json number_or_null(const std::optional<double>& value) { return value ? json(*value) : json(); }
json text_or_null(const std::string& value) { return value.empty() ? json() : json(value); }

json record_json(const TruthRecord& record, bool chunks) {
  json out = {{"id", record.id},
              {"x_request_id", text_or_null(record.x_request_id)},
              {"endpoint", record.endpoint},
              {"user_agent", record.user_agent},
              {"stream", record.stream},
              {"status", record.status},
              {"prompt_tokens", record.prompt_tokens},
              {"cached_tokens", record.cached_tokens},
              {"output_tokens", record.output_tokens},
              {"finish_reason", text_or_null(record.finish_reason)},
              {"fault", text_or_null(record.fault)},
              {"concurrency", record.concurrency},
              {"received", record.received},
              {"admitted", number_or_null(record.admitted)},
              {"first_token_written", number_or_null(record.first_token_written)},
              {"last_token_written", number_or_null(record.last_token_written)},
              {"ended", record.ended}};
  if (chunks) out["chunk_times"] = record.chunk_times;
  return out;
}

}  // namespace

void TruthLog::add(TruthRecord record) {
  const std::lock_guard lock(mutex_);
  chunks_ += record.chunk_times.size();
  records_.push_back(std::move(record));
  if (records_.size() > kMaxRecords) {
    chunks_ -= records_.front().chunk_times.size();
    records_.pop_front();
    if (stripped_ > 0) --stripped_;
  }
  while (chunks_ > kMaxChunks && stripped_ < records_.size()) {
    auto& oldest = records_[stripped_++].chunk_times;
    chunks_ -= oldest.size();
    oldest = {};
  }
}

void TruthLog::clear() {
  const std::lock_guard lock(mutex_);
  records_.clear();
  chunks_ = 0;
  stripped_ = 0;
}

std::string TruthLog::to_json(const Query& query) const {
  json out = json::array();
  {
    const std::lock_guard lock(mutex_);
    for (const TruthRecord& record : records_) {
      if (record.id <= query.since) continue;
      if (!query.x_request_id.empty() && record.x_request_id != query.x_request_id) continue;
      out.push_back(record_json(record, query.chunks));
    }
  }
  // A client's header may hold any bytes; a log that cannot be read back would help nobody.
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace tokprobe_sim
