#include "probes/requester.h"

#include <fmt/format.h>

#include "probes/base/random.h"

namespace tokprobe {

Requester::Requester(Endpoint endpoint, const Dialect& dialect, std::string model,
                     std::uint64_t seed)
    : endpoint_(std::move(endpoint)),
      dialect_(&dialect),
      model_(std::move(model)),
      prompts_(seed),
      id_(Random(seed).next()) {}

Result<ProbeSpec> Requester::make(const Shape& shape) {
  if (!shape.prompt.empty()) return make_spec(shape, shape.prompt, 0, shape.output_tokens);
  const int words = sizer_.words_for(shape.input_tokens);
  return make_spec(shape, prompts_.next(words), words, shape.output_tokens);
}

Result<ProbeSpec> Requester::make_calibration(const Shape& shape, int words) {
  Shape any_length = shape;
  any_length.input_tokens = 0;
  return make_spec(any_length, prompts_.next(words), words, 1);
}

Result<ProbeSpec> Requester::make_spec(const Shape& shape, std::string prompt, int words,
                                       int max_tokens) {
  Generation generation;
  generation.model = model_;
  generation.prompt = std::move(prompt);
  generation.max_tokens = max_tokens;
  generation.ignore_eos = shape.ignore_eos;
  ProbeSpec spec;
  spec.request_id = fmt::format("tokprobe-{:012x}-{}", id_ & 0xFFFFFFFFFFFFULL, ++count_);
  auto request =
      make_request(endpoint_, dialect_->path, dialect_->make_body(generation), spec.request_id);
  if (!request) return Error{request.error()};
  spec.request = std::move(request).value();
  spec.request.fresh_connection = !shape.reuse_connection;
  spec.dialect = dialect_;
  spec.timeouts = shape.timeouts;
  spec.asked_input_tokens = shape.input_tokens;
  spec.asked_output_tokens = max_tokens;
  spec.prompt_words = words;
  return spec;
}

void Requester::learn(const ProbeResult& result) {
  if (result.prompt_words > 0 && result.prompt_tokens) {
    sizer_.observe(result.prompt_words, *result.prompt_tokens);
  }
}

}  // namespace tokprobe
