#include <fmt/format.h>

#include <exception>

#include "monitor/cli/options.h"

namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

int dispatch(const tokprobe::Command& command) {
  using namespace tokprobe;
  return std::visit(Overloaded{[](const ServeOptions& o) { return run_serve(o); },
                               [](const ProbeOptions& o) { return run_probe(o); },
                               [](const CheckConfigOptions& o) { return run_check_config(o); },
                               [](const DocsOptions& o) { return run_docs(o); }},
                    command);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const tokprobe::Parsed parsed = tokprobe::parse_arguments(argc, argv);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    return dispatch(std::get<tokprobe::Command>(parsed));
  } catch (const std::exception& e) {
    fmt::print(stderr, "tokprobe: {}\n", e.what());
    return 1;
  }
}
