#include "monitor/web/landing.h"

#include <fmt/format.h>

#include "probes/base/text.h"
#include "probes/base/version.h"

namespace tokprobe {
namespace {

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>tokprobe</title>
<style>
:root { color-scheme: light dark; --line: #8884; --good: #1a7f37; --bad: #cf222e; --dim: #777; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; }
h1 { margin: 0; font-size: 1.5rem; }
p { color: var(--dim); margin: .2rem 0 1rem; }
nav a { margin-right: 1.2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin-top: 1.5rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .35rem .7rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { font-weight: 600; }
.n { text-align: right; }
.good { color: var(--good); }
.bad { color: var(--bad); font-weight: 600; }
.dim { color: var(--dim); }
@media (prefers-color-scheme: dark) { :root { --good: #3fb950; --bad: #ff7b72; --dim: #999; } }
</style>
</head>
<body>
)";

std::string figure(const LevelState& level, std::string_view key, int digits) {
  for (std::size_t i = 0; i < all_measures().size(); ++i) {
    if (all_measures()[i].key == key && level.last_run[i]) {
      return fmt::format("{:.{}f}", *level.last_run[i], digits);
    }
  }
  return "<span class=\"dim\">-</span>";
}

std::string state(const LevelState& level) {
  if (!level.success) return "<span class=\"dim\">no run yet</span>";
  return *level.success ? "<span class=\"good\">ok</span>" : "<span class=\"bad\">failed</span>";
}

void add_row(std::string& out, const TargetState& t, const ProbeState& p, const LevelState& l) {
  std::uint64_t failed = 0;
  for (const auto count : l.failures) failed += count;
  out += fmt::format(
      "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td>{}</td><td class=\"n\">{}</td>"
      "<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
      "class=\"n\">{}</td></tr>\n",
      escape_html(t.name), escape_html(p.name), l.concurrency, state(l),
      figure(l, "output_tokens_per_second", 1), figure(l, "request_tokens_per_second", 1),
      figure(l, "ttft_seconds", 3), l.requests - failed, failed);
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string landing_page(const std::vector<TargetSnapshot>& targets) {
  std::string out(kHead);
  out += fmt::format(
      "<h1>tokprobe</h1>\n<p>Synthetic probing of LLM inference servers. Version {}, revision "
      "{}.</p>\n"
      "<nav><a href=\"/metrics\">Metrics</a><a href=\"/-/healthy\">Health</a>"
      "<a href=\"/-/ready\">Readiness</a></nav>\n",
      version(), revision());
  out +=
      "<div class=\"wide\"><table>\n<tr><th>Target</th><th>Probe</th><th "
      "class=\"n\">C</th><th>Last run</th>"
      "<th class=\"n\">Agg tok/s</th><th class=\"n\">Per-req tok/s</th><th class=\"n\">TTFT "
      "(s)</th>"
      "<th class=\"n\">Ok</th><th class=\"n\">Failed</th></tr>\n";
  for (const TargetSnapshot& t : targets) {
    for (const ProbeState& p : t->probes) {
      for (const LevelState& l : p.levels) add_row(out, *t, p, l);
    }
  }
  return out + "</table></div>\n</body>\n</html>\n";
}

}  // namespace tokprobe
