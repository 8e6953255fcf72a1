#include "probes/base/version.h"

#include "revision.h"

namespace tokprobe {

std::string_view version() { return TOKPROBE_VERSION; }
std::string_view revision() { return TOKPROBE_REVISION; }

}  // namespace tokprobe
