"""Fleet: every target at a glance."""
from kit import (AGENT, GREEN, KEY, LEVELS, ORANGE, REASON_COLORS, RED, TARGETS, TOKENS_PER_SECOND, color, dashboard,
                 instant, lines, metric, of_agents, ratio_steps, ratio_zones, series, shades, stat, steps, table,
                 table_query, timeline, uid, values, variables)
from state import MAPPINGS, MEANING, failed_share, failing, slow, speed_ratio, state

SUCCESS = metric("success", TARGETS + LEVELS)
TO_TARGET = {"title": "Open ${__value.text}", "targetBlank": False,
             "url": f"/d/{uid('target')}?${{datasource:queryparam}}&${{job:queryparam}}"
                    "&var-instance=${__data.fields.Agent}&var-target=${__data.fields.Target}&${__url_time_range}"}


def count_of(condition):
    return f"count({condition}) or vector(0)"


def overview():
    bad = steps(GREEN, (1, RED))
    per_target = f"by (target) ({SUCCESS})"
    return [
        (4, stat("Targets", "Servers that the chosen agents watch. A number that fell means a changed configuration or an agent "
                 "that Prometheus no longer scrapes.",
                 [instant(f"count(count by (target) ({metric('target_info', TARGETS)})) or vector(0)")],
                 color=color("text"))),
        (4, stat("Down", "Targets of which every probe failed in its last run. Open the target below: the reasons of its failures "
                 "say where to look.", [instant(count_of(f"max {per_target} == 0"))], mode="background", thresholds=bad)),
        (4, stat("Failing", "Targets of which some probes fail and others do not: often long prompts or many requests at "
                 "once. Open the target and look which probe it is.",
                 [instant(count_of(f"min {per_target} == 0 unless max {per_target} == 0"))], mode="background",
                 thresholds=steps(GREEN, (1, ORANGE)))),
        (4, stat("Slow", "Targets with a measure well below what is normal at their present load (median of "
                 "the last half hour, at least 5 runs). Open the target: its ratios say since when.",
                 [instant(count_of(f"count by (target) ({slow(TARGETS, 'target')})"))],
                 mode="background", thresholds=steps(GREEN, (1, ORANGE)))),
        (4, stat("Failed", "Share of the attempted requests that failed in the chosen time range, whatever the reason. Above "
                 "the availability objective, look at the reasons below.", [instant(failed_share(TARGETS))], unit="percentunit",
                 decimals=2, thresholds=steps(GREEN, (0.001, ORANGE), (0.01, RED)), empty="no request")),
        (4, stat("Agents down", "Agents that Prometheus cannot scrape: their targets are unwatched. Look at the agent's "
                 "process and its address.", [instant(count_of(of_agents(f"up{{{AGENT}}} == 0", ever=True)))], mode="background", thresholds=bad)),
    ]


def fleet_table():
    bar = {"type": "gauge", "mode": "basic", "valueDisplayMode": "text"}

    def of_normal(measure):
        return {"unit": "percentunit", "decimals": 0, "min": 0, "max": 1.2, "thresholds": ratio_steps(measure), 
                "custom__cellOptions": bar, "custom__width": 100}
    speed = metric("run_output_tokens_per_second", TARGETS + LEVELS)
    first = metric("run_time_to_first_token_seconds", TARGETS + LEVELS)
    last_run = metric("last_run_timestamp_seconds", TARGETS + LEVELS)
    info = metric("target_info", TARGETS)
    by = f"by ({KEY})"
    targets = [
        table_query(state(TARGETS), "State"),
        table_query(f"max {by} ({speed})", "Speed"),
        table_query(f"min {by} ({speed_ratio(TARGETS, 'throughput')})", "SpeedRatio"),
        table_query(f"max {by} ({first})", "First"),
        table_query(f"min {by} ({speed_ratio(TARGETS, 'ttft')})", "FirstRatio"),
        table_query(failing(TARGETS), "Failing"),
        table_query(failed_share(TARGETS, "job", "instance", "target"), "Failed"),
        table_query(f"time() - max {by} ({last_run})", "Age"),
        table_query(f"max by ({KEY}, server_version) ({info})", "Info"),
    ]
    text = {"type": "color-text"}
    columns = {
        "Value #State": ("State", {"mappings": MAPPINGS, "custom__cellOptions": {"type": "color-background", "mode": "basic"},
                                   "custom__width": 88, "custom__align": "center"}),
        "target": ("Target", {"links": [TO_TARGET], "custom__minWidth": 100}),
        "Value #Speed": ("Speed", {"unit": TOKENS_PER_SECOND, "decimals": 0, "custom__width": 92}),
        "Value #SpeedRatio": ("of normal", of_normal("throughput")),
        "Value #First": ("First token", {"unit": "s", "custom__width": 90}),
        "Value #FirstRatio": ("of normal ", of_normal("ttft")),
        "Value #Failing": ("Failing", {"unit": "none", "custom__width": 66, "custom__align": "center",
                                       "thresholds": steps("text", (1, RED)), "custom__cellOptions": text}),
        "Value #Failed": ("Failed", {"unit": "percentunit", "decimals": 1, "custom__width": 70,
                                     "thresholds": steps("text", (0.001, ORANGE), (0.01, RED)), "custom__cellOptions": text}),
        "Value #Age": ("Last run", {"unit": "s", "decimals": 0, "custom__width": 74}),
        "server_version": ("Version", {"custom__width": 76}),
        "instance": ("Agent", {"custom__minWidth": 104}),
    }
    return table("Targets", "A line for each target and agent, the worst first. " + MEANING + " Speed is the highest throughput and First "
                 "token the longest median of the last runs, over the chosen probes and concurrency; each stands beside its worst "
                 "ratio to normal (100 % or more is fine). Failing counts probes whose last run failed, Failed is the share of "
                 "requests in the time range. Click a target to see why.", targets, columns,
                 order=(("Value #State", True), ("target", False)), empty="No target: is the agent scraped?")


def by_target(expression):
    """A line for every target, without values where there are none: so a target has one colour in all panels."""
    return [series(f"{expression} or max by (target) ({metric('target_info', TARGETS)}) * NaN", "{{target}}")]


def over_time():
    advice = (" 100 % is normal at the server's present load; less is worse. Orange and red: as the alert rules judge it. A line that "
              "falls alone is its server's own fault; if all fall together, look at the network and at the agent.")
    return [
        (12, lines("Throughput of normal", "The worst ratio of throughput to normal of each target." + advice,
                   by_target(f"min by (target) ({speed_ratio(TARGETS, 'throughput')})"), **ratio_zones("throughput"))),
        (12, lines("First token of normal", "The worst ratio of the normal time to first token to the measured one, of each target." +
                   advice, by_target(f"min by (target) ({speed_ratio(TARGETS, 'ttft')})"), **ratio_zones("ttft"))),
    ]


def figures():
    speed = metric("run_output_tokens_per_second", TARGETS + LEVELS)
    first = metric("run_time_to_first_token_seconds", TARGETS + LEVELS)
    return [
        (12, lines("Throughput", "The highest throughput of the last runs of each target, over the chosen probes and concurrency. Choose "
                   "one probe and level to compare servers; a gap means that no run succeeded.",
                   by_target(f"max by (target) ({speed})"), unit=TOKENS_PER_SECOND, min=0)),
        (12, lines("Time to first token", "The longest median time to first token of the last runs of each target. Choose one probe and "
                   "level to compare servers. It rises when a server is full: look at its queue.",
                   by_target(f"max by (target) ({first})"), unit="s", min=0)),
    ]


def failures():
    up = values({1: ("ok", GREEN), 0: ("failing", RED)})
    reasons = metric("request_failures_total", TARGETS + LEVELS)
    firing = 'max by (alertname, severity, target) (ALERTS{alertname=~"Tokprobe.+",alertstate="firing"})'
    alerts = table("Alerts", "Alerts of the shipped rules that fire now, with their target. Follow the runbook (link at the top): it has "
                   "a section for each of these names.",
                   [table_query(f'label_replace({firing}, "alert", "$1", "alertname", "Tokprobe(.+)")', "A")],
                   {"severity": ("Severity", {"custom__width": 84}), "target": ("Target", {"custom__width": 112}),
                    "alert": ("Alert", {"custom__minWidth": 150})}, order=(("severity", False), ("target", False)), empty="None fires")
    return [
        (7, timeline("Success", "Whether the last run of every chosen probe of a target succeeded. Red in one row: open that target. "
                     "Red in all rows at once: look at the network between the agent and the servers.",
                     [series(f"min by (target) ({SUCCESS})", "{{target}}")], up)),
        (8, lines("Failed requests by reason", "Failed requests of all chosen targets, by reason. connect and dns: the server or the way "
                  "to it; timeout_*: it is full or stuck; unauthorized, rate_limited, http_4xx: our key or our request, not the server.",
                  [series(f"round(sum by (reason) (increase({reasons}[$__rate_interval]))) > 0", "{{reason}}")], unit="short", bars=True,
                  stack=True, points=60, decimals=0, interval="1m", empty="No request failed", color=shades("red"),
                  overrides=REASON_COLORS)),
        (9, alerts),
    ]


def build():
    return dashboard("fleet", "Every LLM server that tokprobe watches: does it answer, how fast, and is that normal?", "now-6h",
                     variables(), [
                         (None, [(4, overview()), (10, [(24, fleet_table())])]),
                         ("Speed", [(8, over_time()), (8, figures())]),
                         ("Failures", [(8, failures())]),
                     ])
