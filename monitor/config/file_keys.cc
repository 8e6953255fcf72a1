#include <fmt/format.h>

#include <array>

#include "monitor/config/reader_internal.h"

namespace tokprobe::config_detail {
namespace {

// Every entry of the file has its place in the vector, also when it could not be read: places in
// Marks count on it.
template <auto Member, auto Rows>
void read_tables(Reader& reader, const Field& field, Config& out) {
  reader.list(field, [&](const Field& entry) {
    Field top = entry;
    top.shown.clear();
    (out.*Member).emplace_back();
    reader.table(top, Rows(), (out.*Member).back());
  });
}

void read_series_labels(Reader& reader, const Field& field, Config& out) {
  reader.list(field, [&](const Field& entry) {
    out.series_labels.push_back(reader.text(entry).value_or(""));
  });
}

constexpr std::array<KeyRow<Config>, 3> kFileKeys{{
    {{"targets", ValueType::kTableList, "", entries(10'000),
      "the servers to watch, see [targets](#targets)", true},
     &read_tables<&Config::targets, &target_keys>},
    {{"series_labels", ValueType::kTextList, "(none)", characters(1, 100, 8),
      "names of target labels that every series carries, to route alerts by them"},
     &read_series_labels},
    {{"probes", ValueType::kTableList, "(the default set)", entries(100),
      "the runs to make, see [probes](#probes); without this key the "
      "[default set](#the-default-set)"},
     &read_tables<&Config::probes, &probe_keys>},
}};

}  // namespace

std::span<const KeyRow<Config>> file_keys() { return kFileKeys; }

}  // namespace tokprobe::config_detail
