#include "probes/identity.h"

#include <array>
#include <utility>

#include "probes/base/text.h"
#include "probes/dialects/json_internal.h"

namespace tokprobe {
namespace {

using internal::Json;
using internal::text;

// Who `owned_by` of a model card stands for.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOwners{
    {{"vllm", "vllm"}, {"sglang", "sglang"}, {"llamacpp", "llama.cpp"}, {"library", "ollama"}}};

bool parse(simdjson::dom::parser& parser, std::string_view body, Json& root) {
  return parser.parse(simdjson::padded_string(body)).get(root) == simdjson::SUCCESS;
}

}  // namespace

void read_models(std::string_view body, Identity& identity) {
  simdjson::dom::parser parser;
  Json root;
  simdjson::dom::array models;
  if (!parse(parser, body, root) || root["data"].get(models) != simdjson::SUCCESS) return;
  for (const Json model : models) {
    const std::string_view id = text(model, "id");
    if (id.empty()) continue;
    identity.model = std::string(id);
    for (const auto& [owner, server] : kOwners) {
      if (text(model, "owned_by") == owner) identity.server = server;
    }
    return;
  }
}

void read_version(std::string_view body, Identity& identity) {
  simdjson::dom::parser parser;
  Json root;
  if (!parse(parser, body, root)) return;
  identity.version = printable(text(root, "version"), 100);
}

Identification::Identification(const Endpoint& endpoint, Duration timeout, HttpTransport& transport,
                               const Clock& clock)
    : endpoint_(endpoint), timeout_(timeout), transport_(transport), clock_(clock) {}

Identification::~Identification() {
  if (fetch_) fetch_->cancel(transport_);
}

void Identification::begin(Step step, std::string_view path) {
  auto request = make_request(endpoint_, path, "", "");
  if (!request) {
    step_ = Step::kDone;
    return;
  }
  step_ = step;
  fetch_ = std::make_unique<Fetch>(std::move(request).value(), timeout_, clock_);
  fetch_->start(transport_);
}

void Identification::pump(Time now) {
  if (step_ == Step::kIdle) begin(Step::kModels, "/v1/models");
  if (step_ == Step::kDone) return;
  fetch_->check_time(transport_, now);
  if (!fetch_->done()) return;
  if (step_ == Step::kModels) {
    if (fetch_->head().status == 0) {
      step_ = Step::kDone;  // no answer at all: the version would not come either
      return;
    }
    // Any other status is a server in trouble, which says nothing about who it is.
    answered_ = fetch_->ok() || fetch_->head().status == 404;
    if (fetch_->ok()) read_models(fetch_->body(), identity_);
    begin(Step::kVersion, "/version");
    return;
  }
  if (fetch_->ok()) read_version(fetch_->body(), identity_);
  step_ = Step::kDone;
}

}  // namespace tokprobe
