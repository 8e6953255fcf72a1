#pragma once

#include <string>

namespace tokprobe {

/// The reference of all configuration keys as Markdown, made from the tables that the reader uses.
/// `config/REFERENCE.md` is a copy of it.
std::string config_reference_markdown();

}  // namespace tokprobe
