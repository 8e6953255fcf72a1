#include "tests/sim/handlers.h"

#include <fmt/format.h>

#include <charconv>
#include <ctime>
#include <nlohmann/json.hpp>

#include "tests/sim/clock.h"

namespace tokprobe_sim {
namespace {

using httplib::Request;
using httplib::Response;
using nlohmann::json;

constexpr const char* kJson = "application/json";

void send_error(Response& response, const ApiError& error) {
  response.status = error.status;
  response.set_content(error_body(error), kJson);
}

void send_json(Response& response, const json& body) {
  response.set_content(body.dump(-1, ' ', false, json::error_handler_t::replace), kJson);
}

ApiError simulated_error(int status) {
  const char* type = status == 401   ? "AuthenticationError"
                     : status == 429 ? "RateLimitError"
                     : status < 500  ? "BadRequestError"
                                     : "InternalServerError";
  return {status, fmt::format("a simulated fault: status {}", status), type, ""};
}

bool authorized(const Shared& shared, const Request& request, Response& response) {
  const std::string key = shared.settings.get()->api_key;
  if (key.empty() || request.get_header_value("Authorization") == "Bearer " + key) return true;
  send_error(response, {401, "Invalid or missing API key.", "AuthenticationError", ""});
  return false;
}

void log_refusal(Shared& shared, TruthRecord record, int status) {
  record.status = status;
  record.finish_reason = "error";
  record.ended = now_seconds();
  shared.log.add(std::move(record));
}

void answer(const std::shared_ptr<Generation>& generation, bool stream, bool never,
            Connection& connection, Response& response) {
  if (never) {
    generation->hang();
    connection.drop();  // or else httplib would answer
    return;
  }
  if (stream) {
    response.set_header("Cache-Control", "no-cache");
    // Asked for when the head is written, so that events can go around httplib's sink.
    response.set_chunked_content_provider("text/event-stream",
                                          [generation](size_t, httplib::DataSink& sink) {
                                            const bool in_order = generation->stream();
                                            if (in_order) sink.done();
                                            return in_order;
                                          });
    return;
  }
  const std::optional<std::string> body = generation->whole();
  if (!body) {
    connection.drop();
    return;
  }
  response.status = generation->status();
  response.set_content(*body, kJson);
}

void generate(Shared& shared, const Request& request, Response& response, bool chat) {
  Connection& connection = *Connection::current();
  TruthRecord record;
  record.id = shared.next_id++;
  record.received = connection.received();
  record.endpoint = request.path;
  record.user_agent = request.get_header_value("User-Agent");
  record.x_request_id = request.get_header_value("X-Request-Id");
  if (!authorized(shared, request, response)) return log_refusal(shared, record, 401);

  auto parsed = parse_generation(request.body, chat, *shared.settings.get());
  if (const auto* error = std::get_if<ApiError>(&parsed)) {
    send_error(response, *error);
    return log_refusal(shared, record, error->status);
  }
  const std::optional<Fault> fault = shared.settings.pick_fault(record.id);
  if (fault) record.fault = name_of(fault->kind);
  if (fault && fault->kind == FaultKind::kStatus) {
    send_error(response, simulated_error(fault->status));
    if (fault->retry_after) {
      response.set_header("Retry-After", std::to_string(*fault->retry_after));
    }
    return log_refusal(shared, record, fault->status);
  }
  auto& wanted = std::get<GenerationRequest>(parsed);
  const bool stream = wanted.stream;
  const auto generation =
      std::make_shared<Generation>(shared, connection, std::move(wanted), fault, std::move(record));
  answer(generation, stream, fault && fault->kind == FaultKind::kNever, connection, response);
}

void tokenize_request(Shared& shared, const Request& request, Response& response) {
  const auto settings = shared.settings.get();
  const auto parsed = parse_tokenize(request.body, *settings);
  if (const auto* error = std::get_if<ApiError>(&parsed)) return send_error(response, *error);
  const auto& tokens = std::get<std::vector<uint32_t>>(parsed);
  send_json(response, {{"count", tokens.size()},
                       {"max_model_len", settings->max_model_len},
                       {"tokens", tokens},
                       {"token_strs", nullptr}});
}

void list_models(Shared& shared, const Request& request, Response& response) {
  if (!authorized(shared, request, response)) return;
  const auto settings = shared.settings.get();
  const json model = {{"id", settings->model},
                      {"object", "model"},
                      {"created", std::time(nullptr)},
                      {"owned_by", "vllm"},
                      {"root", settings->model},
                      {"parent", nullptr},
                      {"max_model_len", settings->max_model_len}};
  send_json(response, {{"object", "list"}, {"data", {model}}});
}

void list_truth(const Shared& shared, const Request& request, Response& response) {
  TruthLog::Query query;
  query.x_request_id = request.get_param_value("request_id");
  query.chunks = request.get_param_value("chunks") != "0";
  const std::string since = request.get_param_value("since");
  if (!since.empty()) {
    const auto [end, error] =
        std::from_chars(since.data(), since.data() + since.size(), query.since);
    if (error != std::errc() || end != since.data() + since.size()) {
      return send_error(response, {400, "since must be an id", "BadRequestError", "since"});
    }
  }
  response.set_content(shared.log.to_json(query), kJson);
}

void change_settings(Shared& shared, const Request& request, Response& response) {
  const json changes = json::parse(request.body, nullptr, false);
  const std::string problem =
      changes.is_discarded() ? "the body is not JSON" : shared.settings.update(changes);
  if (!problem.empty()) return send_error(response, {400, problem, "BadRequestError", ""});
  shared.scheduler.set_params(shared.settings.get()->engine);
  send_json(response, to_json(*shared.settings.get()));
}

void reset(Shared& shared, Response& response) {
  shared.settings.clear_faults();
  shared.log.clear();
  shared.counters.clear();
  shared.prefixes.clear();
  send_json(response, {{"status", "ok"}});
}

}  // namespace

void add_handlers(HttpServer& server, Shared& shared) {
  server.Post("/v1/chat/completions", [&shared](const Request& request, Response& response) {
    generate(shared, request, response, true);
  });
  server.Post("/v1/completions", [&shared](const Request& request, Response& response) {
    generate(shared, request, response, false);
  });
  server.Post("/tokenize", [&shared](const Request& request, Response& response) {
    tokenize_request(shared, request, response);
  });
  server.Get("/v1/models", [&shared](const Request& request, Response& response) {
    list_models(shared, request, response);
  });
  server.Get("/health", [](const Request&, Response& response) { response.status = 200; });
  server.Get("/version", [&shared](const Request&, Response& response) {
    send_json(response, {{"version", shared.settings.get()->server_version}});
  });
  server.Get("/metrics", [&shared](const Request&, Response& response) {
    const auto settings = shared.settings.get();
    response.set_content(metrics_page(shared.counters, shared.scheduler.load(), settings->kv_tokens,
                                      settings->model),
                         "text/plain; version=0.0.4; charset=utf-8");
  });
  server.Get("/sim/requests", [&shared](const Request& request, Response& response) {
    list_truth(shared, request, response);
  });
  server.Get("/sim/config", [&shared](const Request&, Response& response) {
    send_json(response, to_json(*shared.settings.get()));
  });
  server.Post("/sim/config", [&shared](const Request& request, Response& response) {
    change_settings(shared, request, response);
  });
  server.Post("/sim/reset",
              [&shared](const Request&, Response& response) { reset(shared, response); });
  server.set_error_handler([](const Request&, Response& response) {
    if (!response.body.empty()) return;
    const char* type = response.status == 404 ? "NotFoundError" : "BadRequestError";
    send_error(response,
               {response.status, fmt::format("HTTP status {}", response.status), type, ""});
  });
}

}  // namespace tokprobe_sim
