#pragma once

#include <string_view>

namespace tokprobe {

/// Writes a result to stdout and flushes it; 1 (after a word on stderr) when it could not be
/// written, else `code`.
int emit(std::string_view text, int code);

/// Writes to stderr. What cannot be written is dropped: a full disk must not end the program.
void complain(std::string_view text);

}  // namespace tokprobe
