#include <sys/resource.h>

#include <exception>

#include "monitor/cli/options.h"
#include "monitor/cli/output.h"

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
                               [](const AcceptOptions& o) { return run_accept(o); },
                               [](const CheckConfigOptions& o) { return run_check_config(o); },
                               [](const DocsOptions& o) { return run_docs(o); }},
                    command);
}

// Each request under way needs a descriptor: the usual soft limit is far below what the hard one
// allows.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int main(int argc, char** argv) {
  raise_descriptor_limit();
  try {
    const tokprobe::Parsed parsed = tokprobe::parse_arguments(argc, argv);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    return dispatch(std::get<tokprobe::Command>(parsed));
  } catch (const std::exception& e) {
    tokprobe::complain("tokprobe: ");
    tokprobe::complain(e.what());
    tokprobe::complain("\n");
    return 1;
  }
}
