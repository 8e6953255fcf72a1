"""Before/after: the chosen time range against an earlier one, and the versions of the server against each other."""
from kit import (BY_LEVEL, GREEN, KEY, LEVELS, LEVEL_COLUMNS, LEVEL_LEGEND, ORANGE, RED, TARGET, TOKENS_PER_SECOND,
                 by_level, color, custom_variable, dashboard, expected_line, instant, lines, metric, series, stat,
                 steps, table, table_query, values, variables)
from state import failed_share

LESS_IS_WORSE = steps(RED, (-0.2, ORANGE), (-0.1, GREEN))
MORE_IS_WORSE = steps(GREEN, (0.1, ORANGE), (0.2, RED))
BY = "by (probe, concurrency)"


def throughput(shift=""):
    """The true average: tokens over time of all runs in the range whose every request was ok."""
    def part(name):
        return f"sum {BY} (increase({metric(name, TARGET + LEVELS)}[$__range]{shift}))"
    return f"{part('measured_output_tokens_total')} / {part('measured_run_seconds_total')}"


def median(name):
    return lambda shift="": f"avg {BY} (quantile_over_time(0.5, {metric(name, TARGET + LEVELS)}[$__range]{shift}))"


def runs(shift=""):
    return f"round(sum {BY} (increase({metric('runs_total', TARGET + LEVELS)}[$__range]{shift})))"


first_token = median("run_time_to_first_token_seconds")
request_speed = median("run_request_tokens_per_second")
EARLIER = " offset $offset"


def change(figure):
    return f"({figure()}) / ({figure(EARLIER)}) - 1"


def overall(figure):
    """One number for all levels: the geometric mean of their ratios."""
    return f"exp(avg(ln(({figure()}) / ({figure(EARLIER)})))) - 1"


def head():
    def changed(title, figure, thresholds, what):
        return stat(title, what + " now against before: the geometric mean over the chosen probes and levels. Green within 10 %. Red "
                    "after an upgrade: find the level below, then decide whether to roll back.",
                    [instant(overall(figure))], unit="percentunit",
                    decimals=1, mode="background", thresholds=thresholds, empty="no earlier data")
    failed = metric("request_failures_total", TARGET + LEVELS)
    sent = metric("requests_total", TARGET + LEVELS)
    share = (f"sum(increase({failed}[$__range]{EARLIER})) / sum(increase({sent}[$__range]{EARLIER}))")
    return [
        (5, changed("Throughput", throughput, LESS_IS_WORSE, "Average output tokens per second")),
        (5, changed("First token", first_token, MORE_IS_WORSE, "Median time to first token")),
        (5, changed("One request", request_speed, LESS_IS_WORSE, "Median decode speed of a request")),
        (5, stat("Failed", "Share of failed requests, before and now. More failures now spoil the other figures: only ok requests are "
                 "timed.",
                 [instant(share, "Before", "before"), instant(failed_share(TARGET), "Now", "now")], unit="percentunit", decimals=1,
                 thresholds=steps(GREEN, (0.001, ORANGE), (0.01, RED)), text="value_and_name")),
        (4, stat("Runs", "Runs of the chosen probes, before and now. Fewer than about 20 on a side prove little: choose a longer "
                 "time range.", [instant(f"sum({runs(EARLIER)})", "Before", "before"), instant(f"sum({runs()})", "Now", "now")],
                 text="value_and_name", decimals=0, color=color("text"))),
    ]


def compared():
    tokens = {"unit": TOKENS_PER_SECOND, "decimals": 1}
    queries, columns = [], {**LEVEL_COLUMNS}
    # Headings must differ: those that repeat end in spaces.
    for space, (heading, figure, properties, thresholds) in enumerate((
            ("Throughput", throughput, tokens, LESS_IS_WORSE), ("First token", first_token, {"unit": "s"}, MORE_IS_WORSE),
            ("One request", request_speed, tokens, LESS_IS_WORSE))):
        ref = heading.split()[0]
        queries += [table_query(figure(), f"{ref}Now"), table_query(figure(EARLIER), f"{ref}Before"),
                    table_query(change(figure), f"{ref}Change")]
        columns[f"Value #{ref}Now"] = (heading, properties)
        columns[f"Value #{ref}Before"] = ("before" + " " * space, properties)
        columns[f"Value #{ref}Change"] = ("change" + " " * space, {"unit": "percentunit", "decimals": 1, "thresholds": thresholds, 
                                                                  "custom__cellOptions": {"type": "color-text"}})
    return table("By probe and concurrency", "Throughput (output tokens over time of all fully successful runs), median time to first "
                 "token and median decode speed of a request, in the chosen time range and before. Green within 10 %. A level that "
                 "changed alone points at batching or scheduling; all levels together at the GPU, the model or the version.",
                 queries, columns, **BY_LEVEL,
                 empty="no run in this time range")


def overlay(title, name, unit, description):
    values = metric(name, TARGET + LEVELS)
    return lines(title, description + " Solid: the chosen time range; dashed in grey: the earlier one, moved onto it.",
                 [series(by_level("avg", values), LEVEL_LEGEND), series(by_level("avg", values + EARLIER), LEVEL_LEGEND + " before", "Before")],
                 unit=unit, min=0, overrides=[expected_line("/before$/")])


def overlays():
    return [
        (8, overlay("Throughput, now and before", "run_output_tokens_per_second", TOKENS_PER_SECOND,
                    "Throughput by concurrency. Equal curves at the same hours are the daily load; a gap between them is the change.")),
        (8, overlay("Time to first token, now and before", "run_time_to_first_token_seconds", "s",
                    "Median time to first token by concurrency. Peaks that moved are load, a raised floor is the server.")),
        (8, overlay("Speed of one request, now and before", "run_request_tokens_per_second", TOKENS_PER_SECOND,
                    "Median decode speed of a request. A lower ceiling at the quietest hour is the server, not its users.")),
    ]


def of_version(name):
    """A last-run value with the version that the server had then."""
    info = f"topk by ({KEY}) (1, max by ({KEY}, server_version) ({metric('target_info', TARGET)}))"
    return f"({metric(name, TARGET + LEVELS)} * on ({KEY}) group_left (server_version) {info})"


def versions():
    group = "server_version, probe, concurrency"

    def median_of(name):
        return f"avg by ({group}) (quantile_over_time(0.5, {of_version(name)}[$__range:$__interval]))"
    tokens = {"unit": TOKENS_PER_SECOND, "decimals": 1}
    columns = {**LEVEL_COLUMNS,
               "server_version": ("Version", {}), "Value #Throughput": ("Throughput", tokens),
               "Value #First": ("First token", {"unit": "s"}), "Value #Request": ("One request", tokens),
               "Value #Success": ("Success", {"unit": "percentunit", "decimals": 1})}
    success = f"avg by ({group}) (avg_over_time({of_version('success')}[$__range:$__interval]))"
    return [
        (16, {**table("Versions of the time range", "Medians of every version that the server had in the chosen time range, beside each "
                      "other: choose a range with the upgrade in its middle. Versions that saw different hours saw different load: "
                      "compare whole days.",
                      [table_query(median_of("run_output_tokens_per_second"), "Throughput"),
                       table_query(median_of("run_time_to_first_token_seconds"), "First"),
                       table_query(median_of("run_request_tokens_per_second"), "Request"), table_query(success, "Success")], columns,
                      order=(("probe", False), ("concurrency", False), ("server_version", False)), numbers=("concurrency",),
                      empty="no run in this time range"), "interval": "30s"}),
        (8, lines("By version", "Decode speed of a request, mean of the chosen probes, a colour for each version of the server. A step "
                   "where the colour changes is the upgrade's doing; a slope through it is not.",
                   [series(f"avg by (server_version) ({of_version('run_request_tokens_per_second')})", "{{server_version}}")],
                   unit=TOKENS_PER_SECOND, min=0)),
    ]


def build():
    offset = custom_variable("offset", ("1d", "1h", "6h", "12h", "2d", "7d", "28d"), label="earlier by",
                             description="How far back the other time range lies.")
    return dashboard("before-after", "One LLM server now and earlier, and its versions against each other.", "now-24h",
                     [*variables(one_target=True), offset], [
                         ("Now, and $offset earlier", [(4, head()), (7, [(24, compared())]), (8, overlays())]),
                         ("By version of the server", [(9, versions())]),
                     ])
