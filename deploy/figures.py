#!/usr/bin/env python3
"""Prints the latest figures of every target as a table, asked of a Prometheus that scrapes the agent.

usage: figures.py PROMETHEUS_URL [--check [--no-failures]]
--check: says what is amiss and exits 1 unless every probe has sent requests, succeeded and has a speed; with --no-failures
also if any request has failed.
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
SPEED, REQUESTS, FAILED = COLUMNS[0][1], COLUMNS[3][1], COLUMNS[4][1]
SUCCESS = "tokprobe_success"
FIRING = 'sum by (alertname) (ALERTS{alertstate="firing"})'


def ask(prometheus, expression, by=("target", "probe", "concurrency")):
    """{values of these labels: value} of an instant query."""
    url = f"{prometheus}/api/v1/query?query={urllib.parse.quote(expression)}"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=10) as response:
        rows = json.load(response)["data"]["result"]
    return {tuple(row["metric"].get(label, "") for label in by): float(row["value"][1]) for row in rows}


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


def problems(keys, values, may_fail):
    if not keys:
        yield "Prometheus has no figures of the agent"
    for key in keys:
        name = "{} {} C={}".format(*key)
        if values[REQUESTS][key] <= 0:
            yield f"{name}: no request was sent"
        elif values[SUCCESS].get(key) != 1:
            yield f"{name}: the last run did not succeed"
        elif not values[SPEED].get(key, 0) > 0:
            yield f"{name}: no tokens per second"
        if not may_fail and values[FAILED].get(key, 0) > 0:
            yield f"{name}: {values[FAILED][key]:.0f} requests failed"


def main():
    prometheus, flags = sys.argv[1], sys.argv[2:]
    try:
        values = {query: ask(prometheus, query) for query in [SUCCESS] + [query for _, query, _ in COLUMNS]}
        firing = sorted(name for name, in ask(prometheus, FIRING, by=("alertname",)))
    except (OSError, ValueError, KeyError) as e:
        print(f"Prometheus does not answer as it should: {e}")
        return 1
    keys = sorted(values[REQUESTS], key=lambda key: (key[0], key[1], int(key[2] or 0)))
    table(keys, values)
    if firing:
        print("  alerts firing: " + ", ".join(firing))
    if "--check" not in flags:
        return 0
    found = list(problems(keys, values, "--no-failures" not in flags))
    for problem in found:
        print(f"  {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
