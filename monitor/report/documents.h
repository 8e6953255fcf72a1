#pragma once

#include <string>

#include "probes/result.h"

namespace tokprobe {

/// `tokprobe probe --format json`: one request as JSON, indented, with a line end. Times in seconds
/// from the start of the request; what was not measured is null, never 0 (`output_tokens` alone is
/// always a number).
std::string probe_document(const ProbeResult& result);

/// A `tokprobe.run/1` document: the run's figures and its `requests`, each with the keys of a probe
/// document and `start_seconds` from the first request's start.
std::string run_document(const RunResult& run);

}  // namespace tokprobe
