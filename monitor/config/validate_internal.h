#pragma once

#include "monitor/config/config.h"
#include "monitor/config/problem.h"
#include "monitor/config/reader_internal.h"

namespace tokprobe::config_detail {

/// The checks that look at more than one value. `config` may be incomplete where problems were
/// already found (empty names and URLs); such entries are passed over. Its targets, probes and
/// lists are in the order of the file, so that the paths of `marks` lead to them.
void find_conflicts(const Config& config, const Marks& marks, ProblemList& problems);

/// What is allowed but probably not meant. Requires a config without problems.
void find_doubts(const Config& config, const Marks& marks, ProblemList& warnings);

}  // namespace tokprobe::config_detail
