#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "monitor/config/cost.h"
#include "monitor/config/format_internal.h"
#include "probes/base/text.h"

namespace tokprobe {
namespace {

using config_detail::grouped;
using config_detail::pad_left;
using config_detail::pad_right;

constexpr std::size_t kColumns = 9;
using Row = std::array<std::string, kColumns>;
constexpr std::size_t kBusy = 7;
const Row kHeader{"",          "every",      "C",           "runs",  "requests",
                  "tokens in", "tokens out", "under probe", "series"};

std::string percent(double ratio) {
  if (ratio > 0 && ratio < 0.001) return "< 0.1 %";
  return fmt::format("{:.1f} %", ratio * 100);
}

// A probe a week makes 0.1 runs a day, not none.
std::string amount(double number) {
  return grouped(number < 10 ? std::round(number * 10) / 10 : std::round(number));
}

std::string levels(const ProbeConfig& probe) {
  if (probe.concurrency.size() <= 4) return fmt::format("{}", fmt::join(probe.concurrency, ","));
  return fmt::format("{}..{} ({})", probe.concurrency.front(), probe.concurrency.back(),
                     probe.concurrency.size());
}

void fill(Row& row, const Cost& cost) {
  row[3] = amount(cost.runs);
  row[4] = amount(cost.requests);
  row[5] = amount(cost.prompt_tokens);
  row[6] = amount(cost.output_tokens);
  row[kBusy] = percent(cost.busy);
  row[8] = grouped(static_cast<double>(cost.series));
}

Row row_of(const ProbeCost& probe) {
  Row row{"  " + printable(probe.probe->name, 40), format_duration(probe.probe->interval),
          levels(*probe.probe)};
  if (probe.probe->enabled) {
    fill(row, probe.cost);
  } else {
    row[3] = "off";
  }
  return row;
}

// Targets with the same probes cost the same.
struct Block {
  const TargetCost* first;
  std::vector<const TargetCost*> targets;
};

bool same_probes(const TargetCost& a, const TargetCost& b) {
  return std::equal(a.probes.begin(), a.probes.end(), b.probes.begin(), b.probes.end(),
                    [](const ProbeCost& x, const ProbeCost& y) { return x.probe == y.probe; });
}

std::vector<Block> blocks_of(const CostEstimate& estimate) {
  std::vector<Block> blocks;
  for (const TargetCost& target : estimate.targets) {
    auto block = std::find_if(blocks.begin(), blocks.end(),
                              [&](const Block& b) { return same_probes(*b.first, target); });
    if (block == blocks.end()) block = blocks.insert(blocks.end(), Block{&target, {}});
    block->targets.push_back(&target);
  }
  return blocks;
}

std::string title(const Block& block) {
  if (block.targets.size() == 1) return printable(block.first->target->name, 100);
  constexpr std::size_t kNamed = 3;
  std::string out = fmt::format("each of {} targets (", block.targets.size());
  for (std::size_t i = 0; i < std::min(kNamed, block.targets.size()); ++i) {
    out += fmt::format("{}{}", i == 0 ? "" : ", ", printable(block.targets[i]->target->name, 30));
  }
  return out + (block.targets.size() > kNamed ? ", ...)" : ")");
}

// Stands alone and takes no part in the widths.
bool is_title(const Row& row) {
  return std::all_of(row.begin() + 1, row.end(), [](const auto& cell) { return cell.empty(); });
}

std::string layout(const std::vector<Row>& rows) {
  std::array<std::size_t, kColumns> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < kColumns; ++i) {
      if (!is_title(row)) {
        widths[i] = std::max(widths[i], config_detail::width(row[i]));
      }
    }
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line = pad_right(row[0], widths[0]);
    for (std::size_t i = 1; i < kColumns; ++i) line += "  " + pad_left(row[i], widths[i]);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

std::string notes(const CostEstimate& estimate) {
  const AssumedSpeed& speed = estimate.assumed;
  std::string out = fmt::format(
      "\nUnder probe: the share of the time with a request of ours, where a request takes {} s to "
      "its\n"
      "first token plus 1 s for every {} prompt tokens, then {} tokens/s, or what the objectives "
      "of\n"
      "its probe allow. Warm-up and calibration come on top.\n",
      grouped(speed.first_token_seconds), grouped(speed.prompt_tokens_per_second),
      grouped(speed.request_tokens_per_second));
  if (estimate.total.busy > 1) {
    out += "Over 100 %: the runs of a target do not fit into its day and some will be skipped.\n";
  }
  for (const TargetCost& target : estimate.targets) {
    for (const ProbeCost& probe : target.probes) {
      const long series =
          estimate.series.per_level +
          static_cast<long>(probe.probe->objectives.size()) * estimate.series.per_level_objective;
      if (series <= kMaxSeriesPerLevel) continue;
      return out + fmt::format(
                       "Probe {} has {} series for each level of each target; {} should be "
                       "the most.\n",
                       printable(probe.probe->name, 100), series, kMaxSeriesPerLevel);
    }
  }
  return out;
}

}  // namespace

std::string render_cost(const CostEstimate& estimate) {
  std::vector<Row> rows{kHeader};
  for (const Block& block : blocks_of(estimate)) {
    rows.push_back({});
    rows.push_back(Row{title(block)});
    for (const ProbeCost& probe : block.first->probes) rows.push_back(row_of(probe));
    Row sum{"  sum"};
    fill(sum, block.first->sum);
    rows.push_back(sum);
  }
  if (estimate.targets.size() > 1) {
    rows.push_back({});
    Row total{fmt::format("all {} targets", estimate.targets.size())};
    fill(total, estimate.total);
    total[kBusy] = "max " + total[kBusy];
    rows.push_back(total);
  }
  return "What this configuration costs a day\n\n" + layout(rows) + notes(estimate);
}

}  // namespace tokprobe
