#!/usr/bin/env python3
"""Prints the latest figures of every target as a table, asked of a Prometheus that scrapes the agent.

usage: figures.py PROMETHEUS_URL [--check [--allow-failures|--fail-on-failures]]
--check: exit 1 unless every probe has succeeded and has a speed (and, with --fail-on-failures, nothing has failed).
"""
import json
import sys
import urllib.parse
import urllib.request

COLUMNS = (("tok/s", "tokprobe_run_output_tokens_per_second", "{:.1f}"),
           ("per request", "tokprobe_run_request_tokens_per_second", "{:.1f}"),
           ("TTFT (s)", "tokprobe_run_time_to_first_token_seconds", "{:.3f}"),
           ("requests", "tokprobe_requests_total", "{:.0f}"),
           ("failed", "sum by (target, probe, concurrency) (tokprobe_request_failures_total)", "{:.0f}"))
SUCCESS = "tokprobe_success"


def ask(prometheus, expression):
    """{(target, probe, concurrency): value} of an instant query."""
    url = f"{prometheus}/api/v1/query?query={urllib.parse.quote(expression)}"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=10) as response:
        rows = json.load(response)["data"]["result"]
    return {tuple(row["metric"].get(k, "") for k in ("target", "probe", "concurrency")): float(row["value"][1])
            for row in rows}


def table(keys, values):
    header = ["target", "probe", "C", "state"] + [name for name, _, _ in COLUMNS]
    rows = []
    for key in keys:
        state = values[SUCCESS].get(key)
        cells = [form.format(values[query][key]) if key in values[query] else "-" for _, query, form in COLUMNS]
        rows.append([*key, "-" if state is None else "ok" if state else "failed", *cells])
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        cells = [cell.ljust(w) if i in (0, 1, 3) else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths))]
        print("  " + "  ".join(cells).rstrip())


def main():
    prometheus, flags = sys.argv[1], sys.argv[2:]
    values = {query: ask(prometheus, query) for query in [SUCCESS] + [query for _, query, _ in COLUMNS]}
    keys = sorted(values["tokprobe_requests_total"], key=lambda key: (key[0], key[1], int(key[2])))
    table(keys, values)
    if "--check" not in flags:
        return 0
    speeds = values[COLUMNS[0][1]]
    good = bool(keys) and all(values[SUCCESS].get(key) == 1 and speeds.get(key, 0) > 0 for key in keys)
    if "--fail-on-failures" in flags:
        good = good and sum(values[COLUMNS[4][1]].values()) == 0
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
