"""Target: one server in full."""
from kit import (BLUE, BY_LEVEL, GREEN, GREY, LEVELS, LEVEL_COLUMNS, LEVEL_LEGEND, MONTH, ORANGE, PROBES,
                 PROBE_COLUMN, REASON_COLORS, RED, TARGET, TOKENS_PER_SECOND, annotation, by_level, color, dashboard,
                 expected_line, heatmap, instant, lines, metric, override, ratio_steps, ratio_zones, series, shades,
                 stat, steps, table, table_query, timeline, values, variables)
from state import MAPPINGS, MEANING, speed_ratio, state

AVERAGE = " Several agents: their mean; choose one under instance."
GAP = " A gap means that no run succeeded."


def level(name, *more, function="avg", matchers=""):
    return by_level(function, metric(name, TARGET + LEVELS + matchers), *more)


def measured(name, expected=None):
    """Last-run values by level, and what is normal for them as dashed lines."""
    queries = [series(level(name), LEVEL_LEGEND)]
    if expected:
        queries.append(series(level(expected), LEVEL_LEGEND + " normal", "Normal"))
    return queries


def of_normal(title, measure, window, description):
    colours = steps(ORANGE, (MONTH[measure], GREEN)) if window == "month" else ratio_steps(measure)
    return stat(title, description, [instant(f"min({speed_ratio(TARGET, measure, window)})")], unit="percentunit", decimals=0,
                mode="background", thresholds=colours, empty="not yet")


def head():
    better = " 100 % is normal at the server's present load, less is worse. "
    age = metric("last_run_timestamp_seconds", TARGET + LEVELS)
    return [
        (4, stat("State", MEANING + " The reasons under Failures say why.", [instant(f"max({state(TARGET)})")], unit="none",
                 mode="background", mappings=MAPPINGS, empty="unknown")),
        (4, of_normal("Throughput", "throughput", "recent", "The worst ratio of throughput to normal over the last half hour (at least 5 "
                      "runs)." +
                      better + "Orange or red: compare the server's load and version with an earlier day.")),
        (4, of_normal("First token", "ttft", "recent", "The worst ratio of the normal time to first token to the measured one over the "
                      "last half hour." + better + "Orange or red: look at the queue and at prefill speed.")),
        (4, of_normal("Each token", "tpot", "recent", "The worst ratio of the normal time per output token to the measured one over the "
                      "last half hour." + better + "Orange or red: look at the batch size and at the GPU's clock.")),
        (4, of_normal("Last month", "throughput", "month", "Throughput of the last day to what was normal 28 days ago: it sees a rot that "
                      "is too slow for the other ratios. Orange: compare with Before/after over 28d.")),
        (4, stat("Last run", "How long ago the youngest run of the chosen probes began. More than three of its intervals: look at skipped "
                 "runs on the Agent page.",
                 [instant(f"time() - max({age})")], unit="s", decimals=0, color=color("text"), empty="no run yet")),
    ]


def server():
    info, none = metric("target_info", TARGET), "not told"
    return [
        (12, stat("Server", "What the server says of itself. A version that you did not expect explains most sudden changes: see the marks "
                  "in the panels below, and Before/after.",
                  [instant(f"max by (server, server_version, model) ({info})", legend="{{server}} {{server_version}}  {{model}}")],
                  unit="none", text="name", color=color("text"))),
        (4, stat("Running", "Requests in the server's batch just before the last run, in its own count. At the server's limit every "
                 "further request waits.",
                 [instant(f"max({metric('server_running_requests', TARGET)})")], color=color("text"), empty=none)),
        (4, stat("Waiting", "Requests in the server's queue just before the last run, in its own count. Anything here means a full "
                 "server: its first tokens are late because of that.", [instant(f"max({metric('server_waiting_requests', TARGET)})")],
                 thresholds=steps("text", (1, ORANGE)), empty=none)),
        (4, stat("KV cache", "Share of the server's KV cache in use just before the last run. Near 100 % the server queues or evicts "
                 "requests.", [instant(f"max({metric('server_kv_cache_usage_ratio', TARGET)})")], unit="percentunit", decimals=0,
                 thresholds=steps("text", (0.9, ORANGE), (0.97, RED)), empty=none)),
    ]


def of_normal_over_time(title, measure, what):
    to = "to what is normal" if measure == "throughput" else "to the measured one"
    return lines(title, f"{what} {to} at the server's present load, median of the last half hour (at least 5 runs). 100 % is normal, less is worse; "
                 "orange and red: as the alert rules judge it. One probe alone low: its length or concurrency; all low: the server as a whole; a "
                 "step at a mark: the new version.",
                 [series(by_level("min", speed_ratio(TARGET, measure)), LEVEL_LEGEND)], empty="Not yet known", **ratio_zones(measure))


def speed():
    return [
        (7, [(8, of_normal_over_time(title, measure, what)) for title, measure, what in (
            ("Throughput of normal", "throughput", "Throughput"), ("First token of normal", "ttft", "The normal time to first token"),
            ("Each token of normal", "tpot", "The normal time per output token"))]),
        (9, [
            (12, lines("Throughput by concurrency", "Output tokens of a run over its time: what the server gives at this number of "
                       "requests at once. Dashed: what is normal. Below the dashed line at unchanged load the server has become slower." + GAP + AVERAGE,
                       measured("run_output_tokens_per_second", "expected_output_tokens_per_second"), unit=TOKENS_PER_SECOND, min=0,
                       overrides=[expected_line()])),
            (12, lines("Speed of one request", "Median decode speed of a request, prefill excluded: how fast a reader sees the text grow. "
                       "It falls as concurrency grows; falling at one level means a slower server or other users." + GAP + AVERAGE,
                       measured("run_request_tokens_per_second"), unit=TOKENS_PER_SECOND, min=0)),
        ]),
        (8, [
            (12, lines("Time per output token", "Median time between tokens of a request after the first. Dashed: what is normal. Above "
                       "it: larger batches, a slower GPU, or speculative decoding that no longer helps." + GAP + AVERAGE,
                       measured("run_time_per_output_token_seconds", "expected_time_per_output_token_seconds"), unit="s", min=0,
                       overrides=[expected_line()])),
            (12, lines("Prefill speed", "Prompt tokens that were not cached over the time to first token, median of a run: prefill as "
                       "seen from outside, queueing included. Short prompts say little; a fall at long ones means chunked prefill or a "
                       "queue." + GAP + AVERAGE,
                       measured("run_prefill_tokens_per_second"), unit=TOKENS_PER_SECOND, min=0)),
        ]),
    ]


def quantiles():
    """Quantiles over the whole time range, beside the attempts that they rest on."""
    def quantile(q, histogram):
        bucket = metric(f"{histogram}_bucket", TARGET + LEVELS)
        return f"histogram_quantile({q}, sum by (probe, concurrency, le) (increase({bucket}[$__range])))"

    def total(name):
        return f"round(sum by (probe, concurrency) (increase({metric(name, TARGET + LEVELS)}[$__range])))"

    first, each = "time_to_first_token_seconds", "time_per_output_token_seconds"
    seconds = {"unit": "s"}
    queries = [table_query(total("requests_total"), "Attempts"), table_query(total("request_failures_total"), "Failures")]
    columns = {**LEVEL_COLUMNS,
               "Value #Attempts": ("Attempts", {"decimals": 0, "custom__width": 84}),
               "Value #Failures": ("Failed", {"decimals": 0, "custom__width": 70, "thresholds": steps("text", (1, RED)),
                                              "custom__cellOptions": {"type": "color-text"}})}
    for heading, histogram, properties in (("First token", first, seconds), ("Each token", each, seconds)):
        for q, name in ((0.5, "p50"), (0.95, "p95"), (0.99, "p99")):
            ref = f"{heading.split()[0]}{name}"
            queries.append(table_query(quantile(q, histogram), ref))
            columns[f"Value #{ref}"] = (f"{heading.split()[0]} {name}", properties)
    return table("Quantiles of the time range", "Quantiles of the time to first token and of the time for each token of all ok requests "
                 "in the chosen time range, read from histograms (exact to a bucket), beside the attempts that they rest on: with fewer "
                 "than 100 attempts p99 is the slowest request. Failed requests have no times: many failures beside good quantiles are "
                 "not good news.", queries, columns,
                 **BY_LEVEL, empty="no run in this time range")


def first_token():
    longest = series(level("run_time_to_first_token_max_seconds", function="max"), LEVEL_LEGEND + " longest", "Longest")
    answer = series(level("run_time_to_first_answer_seconds"), LEVEL_LEGEND + " first answer", "Answer")
    return [
        (9, [
            (12, lines("Time to first token", "Median of each run, dashed: what is normal; dotted: the longest of the run. Of reasoning "
                       "models also the time to the first word of the answer. Rising with waiting requests: the server is full; rising "
                       "alone: prefill has become slower." + GAP + AVERAGE,
                       [*measured("run_time_to_first_token_seconds", "expected_time_to_first_token_seconds"), longest, answer], unit="s", min=0,
                       overrides=[expected_line(),
                                  override("/longest$/", color=color(GREY), custom__lineWidth=1,
                                           custom__lineStyle={"fill": "dot", "dash": [2, 6]},
                                           custom__hideFrom={"legend": True, "tooltip": False, "viz": False})])),
            (12, heatmap("Time to first token, all requests", "How many ok requests had their first token in which time. Two bands are "
                         "two kinds of request (lengths, concurrency) or a queue that comes and goes: choose one probe to tell.",
                         metric("time_to_first_token_seconds_bucket", TARGET + LEVELS))),
        ]),
        (7, [(24, quantiles())]),
    ]


def stream():
    def gap_quantile(q):
        bucket = metric("inter_chunk_seconds_bucket", TARGET + PROBES)
        return f"histogram_quantile({q}, sum by (probe, le) (increase({bucket}[$__range])))"

    count = metric("inter_chunk_seconds_count", TARGET + PROBES)
    queries = [table_query(f"round(sum by (probe) (increase({count}[$__range])))", "Gaps")]
    columns = {**PROBE_COLUMN, "Value #Gaps": ("Gaps", {"decimals": 0})}
    for q, name in ((0.5, "p50"), (0.95, "p95"), (0.99, "p99"), (1, "longest")):
        queries.append(table_query(gap_quantile(q), name))
        columns[f"Value #{name}"] = (name, {"unit": "s"})
    return [
        (9, [
            (12, heatmap("Gaps between chunks", "Times between successive text events of ok requests. A second band far above the first "
                         "is stutter: other users' prefills, swapping or a proxy that collects. Everything in the lowest row: the text "
                         "came in one burst.",
                         metric("inter_chunk_seconds_bucket", TARGET + PROBES), scheme="Blues")),
            (12, lines("Longest gap of a run", "The longest silence between two text events in each run. Readers notice half a second; a "
                       "rise that the median does not show is stutter. Near the stall time-out the server is about to fail." + GAP,
                       [series(level("run_inter_chunk_max_seconds", function="max"), LEVEL_LEGEND)], unit="s", min=0)),
        ]),
        (7, [
            (12, table("Gaps of the time range", "Quantiles of the gaps between text events in the chosen time range, and the number that "
                       "they rest on. The longest is the upper edge of its bucket. p99 ten times above p50 is stutter that users see.",
                       queries, columns,
                       order=(("probe", False),), empty="no run in this time range")),
            (12, lines("Tokens per chunk", "Median tokens in a text event. 1 is a smooth stream; more means speculative decoding, several "
                       "steps at once or a proxy that collects; a change without a new version points at a proxy." + GAP + AVERAGE,
                       measured("run_tokens_per_chunk"), unit="short", min=0)),
        ]),
    ]


def failures():
    up = values({1: ("ok", GREEN), 0: ("failed", RED)})
    per = "[$__rate_interval]"
    reasons = metric("request_failures_total", TARGET + LEVELS)
    warnings = metric("request_warnings_total", TARGET + LEVELS)
    misses = metric("objective_violations_total", TARGET + LEVELS)
    judged = metric("objective_requests_total", TARGET + LEVELS)
    bars = dict(bars=True, stack=True, points=72, decimals=0, interval="1m")
    return [
        (8, [
            (12, timeline("Success by probe", "Whether the last run of each probe at each concurrency succeeded. Only long or highly "
                          "concurrent probes red: the server reaches a limit; all red: it is down or not reachable.",
                          [series(level("success", function="min"), LEVEL_LEGEND)], up)),
            (12, lines("Failed requests by reason", "Failed requests, by reason. connect, dns, tls: the way to the server; "
                       "timeout_first_token: a queue; timeout_stall: it hung; http_5xx, stream_error: its log; unauthorized, "
                       "rate_limited, http_4xx: our key or our request.",
                       [series(f"round(sum by (reason) (increase({reasons}{per}))) > 0", "{{reason}}")], unit="short", empty="No request failed",
                       color=shades("red"), overrides=REASON_COLORS,
                       **bars)),
        ]),
        (8, [
            (12, lines("Objectives missed", "Share of the judged requests that missed an objective of the configuration. Above 1 - "
                       "availability the error budget is being spent: look which level misses, then at speed and queue.",
                       [series(f"sum by (probe, objective) (increase({misses}{per})) / sum by (probe, objective) (increase({judged}{per}))",
                               "{{probe}} {{objective}}")], unit="percentunit", min=0, max=1, points=72, interval="1m", fill=15,
                       empty="No objective is configured")),
            (12, lines("Warnings", "Remarks on requests that count as ok. burst, not_streamed: a buffering proxy; short_output: the model "
                       "stops early; prompt_length, usage_*: token counts to doubt; client_limited: our own machine was late.",
                       [series(f"round(sum by (warning) (increase({warnings}{per}))) > 0", "{{warning}}")], unit="short", empty="No warning",
                       color=shades("yellow"),
                       **bars)),
        ]),
    ]


def load():
    phase = "avg by (phase) ({})".format
    before = metric("run_phase_seconds", TARGET + LEVELS + ',phase=~"dns|connect|tls"')
    after = metric("run_phase_seconds", TARGET + LEVELS + ',phase!~"dns|connect|tls"')
    running, waiting = metric("server_running_requests", TARGET), metric("server_waiting_requests", TARGET)
    cache = metric("server_kv_cache_usage_ratio", TARGET)
    none = "The server shows no such metric"
    return [
        (8, [
            (12, lines("Running and waiting requests", "The server's own count just before a run, so without ours: the load that others "
                       "make. Anything waiting means a full server: slow first tokens are then its load, not a fault.",
                       [series(f"max({running})", "running"), series(f"max({waiting})", "waiting", "Waiting")],
                       unit="short", around=(0, 4), fill=15,
                       decimals=0, empty=none, overrides=[override("running", color=color(BLUE)), override("waiting", color=color(ORANGE))])),
            (12, lines("KV cache in use", "Share of the server's KV cache in use just before a run. Near 100 % the server queues or "
                       "evicts requests: fewer or shorter requests, or more memory for the cache.",
                       [series(f"max({cache})", "in use")], unit="percentunit", min=0, max=1,
                       fill=15, zones=True, thresholds=steps("transparent", (0.9, ORANGE), (0.97, RED)),
                       overrides=[override("in use", color=color(BLUE))], empty=none)),
        ]),
        (8, [
            (12, lines("Connecting", "Time for name, TCP and TLS before the request is sent, mean of the chosen probes. It is no part of "
                       "the time to first token. Slow dns: the resolver; slow connect: the network; slow tls: a busy proxy.",
                       [series(phase(before), "{{phase}}")], unit="s", min=0, stack=True, fill=40, width=1)),
            (12, lines("From request to end", "First token, generation and close of a request, mean of the chosen probes: choose one "
                       "probe for true figures. A long close after the last token is time that the client waits for nothing.",
                       [series(phase(after), "{{phase}}")], unit="s", min=0, stack=True, fill=40, width=1)),
        ]),
    ]


def marks():
    """A version that was not there five minutes ago, of a target that was; or the counter of identity changes."""
    info, counter = metric("target_info", TARGET), metric("server_identity_changes_total", TARGET)
    same = "job, instance, target, server, server_version, model"
    new = (f"max by ({same}) ({info}) unless on ({same}) max by ({same}) ({info} offset 5m) "
           f"and on (job, instance, target) {info} offset 5m")
    return [annotation("Server changes", f"({new}) or on (job, instance, target) (changes({counter}[5m]) > 0)", "purple",
                       "The server changed", "{{server}} {{server_version}} {{model}}")]


def build():
    return dashboard("target", "One LLM server: speed by concurrency, time to first token, stream, failures and load.", "now-24h",
                     variables(one_target=True), [
                         (None, [(4, head()), (3, server())]),
                         ("Speed", speed()),
                         ("Time to first token", first_token()),
                         ("Stream", stream()),
                         ("Failures", failures()),
                         ("Server load and phases", load()),
                     ], marks())
