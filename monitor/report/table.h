#pragma once

#include <string>
#include <vector>

#include "probes/result.h"

namespace tokprobe {

/// Columns of text set out under one another. Numbers (cells whose column is marked right) stand to
/// the right. No trailing spaces.
struct TextTable {
  std::vector<std::string> header;
  std::vector<bool> right;
  std::vector<std::vector<std::string>> rows;
  std::string render() const;
};

/// Lines for a person at a terminal about one request, in the order in which one asks: did it work,
/// how fast, what came. `with_text` adds what the server wrote.
std::string probe_text(const ProbeResult& result, bool with_text);

/// The table of a run: C, Agg tok/s, Per-req tok/s, TTFT(s), Tokens, Wall(s), Ok, Fail, and under
/// it one line for each reason and warning that occurred.
std::string run_text(const RunResult& run);

}  // namespace tokprobe
