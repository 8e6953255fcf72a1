"""Agent: tokprobe's own health, and what it costs the servers."""
from kit import (AGENT, GREEN, PROBES, RED, TARGETS, color, dashboard, heatmap, instant, lines, metric, of_agents,
                 series, stat, steps, table, table_query, values, variables)

DAY = " / $__range_s * 86400"


def process(name):
    return f"process_{name}{{{AGENT}}}"


def a_day(name, by=""):
    """A counter's increase in the time range, as if it went on for a day."""
    group = f" by ({by})" if by else ""
    return f"sum{group} (increase({metric(name, TARGETS + PROBES)}[$__range])){DAY}"


def head():
    up = values({0: ("DOWN", RED), 1: ("UP", GREEN)})
    good = values({0: ("REFUSED", RED), 1: ("OK", GREEN)})
    return [
        (8, stat("Agents", "Whether Prometheus reaches each agent. DOWN: its targets are unwatched; look at the process and its address.",
                 [instant(of_agents(f"up{{{AGENT}}}", ever=True), legend="{{instance}}")], unit="none", mode="background", mappings=up,
                 thresholds=steps(RED, (1, GREEN)), text="value_and_name")),
        (8, stat("Version", "The agent's version. Agents of different versions under one roof: check the changelog before you compare "
                 "their figures.",
                 [instant(f"count by (version) ({metric('build_info', AGENT)})", legend="{{version}}")], unit="none", text="name",
                 color=color("text"))),
        (8, stat("Configuration", "Whether the last reload was accepted. REFUSED: the agent goes on with the old one and its log says "
                 "which line is wrong.",
                 [instant(f"min({metric('config_last_reload_successful', AGENT)})")], unit="none", mode="background", mappings=good,
                 thresholds=steps(RED, (1, GREEN)))),
    ]


def schedule():
    skipped = metric("runs_skipped_total", TARGETS + PROBES)
    degraded = metric("runs_degraded_total", TARGETS + PROBES)
    last = metric("last_run_timestamp_seconds", TARGETS + PROBES)
    interval = metric("probe_interval_seconds", TARGETS + PROBES)
    key = "job, instance, target, probe"
    per = "[$__rate_interval]"
    missed = (f"label_replace(sum by (reason) (increase({skipped}{per})), \"what\", \"skipped: $1\", \"reason\", \"(.+)\") "
              f"or label_replace(sum(increase({degraded}{per})), \"what\", \"replaced by a heartbeat\", \"\", \"\")")
    lag = metric("schedule_lag_seconds_bucket", AGENT)
    return [
        (8, heatmap("Schedule lag", "How long after their due time runs began. All in the lowest rows is healthy. Higher: the agent's "
                    "machine is busy, or runs of one target wait for each other: give them longer intervals.", lag, scheme="Blues")),
        (8, lines("Runs not made", "Slots of the schedule without a full run. overlap: the run before was not over, so lengthen the "
                  "interval; budget and maintenance: as configured; replaced: the server was busy, and only a heartbeat was sent.",
                  [series(f"round({missed}) > 0", "{{what}}")], unit="short", bars=True, stack=True, points=60, interval="1m", decimals=0,
                  empty="None")),
        (8, lines("Age of the last run, in intervals", "Time since the last run over its interval, of the probe of each target that waits "
                  "longest; 1 at most is healthy. Above 3 the figures on the other pages are old: look at skipped runs, then at the "
                  "agent's log.",
                  [series(f"max by (target) ((time() - max by ({key}) ({last})) / on ({key}) {interval})",
                          "{{target}}")], unit="short", min=0, decimals=1, zones=True,
                  thresholds=steps("transparent", (3, RED)))),
    ]


def accuracy():
    lag = metric("client_lag_seconds_bucket", AGENT)
    by_target = metric("run_client_lag_seconds", TARGETS + PROBES)
    http = metric("http_requests_total", AGENT)
    return [
        (8, heatmap("Client lag", "The longest stretch of each run in which the agent's loop did not listen: how late a time stamp can "
                    "be. Above some milliseconds the figures are doubtful: give the agent a free core.", lag, scheme="Blues")),
        (8, lines("Client lag by target", "The same of the last run, by target. One target alone: its runs have very many streams; all: "
                  "the machine is busy.",
                  [series(f"max by (target) ({by_target})", "{{target}}")], unit="s", min=0)),
        (8, lines("Requests to the agent", "Requests to the agent's own address, by path and status. 401 or 403 on /metrics: Prometheus "
                  "lacks the password; no /metrics at all: nobody scrapes it.",
                  [series(f"sum by (handler, code) (rate({http}[$__rate_interval])) > 0", "{{handler}} {{code}}")], unit="reqps", min=0)),
    ]


def cost_overview():
    return [
        (8, stat("Requests a day", "Requests to the watched servers at the pace of the chosen time range. Too many: longer intervals, "
                 "lower concurrency.", [instant(a_day("requests_total"))], decimals=0, color=color("text"))),
        (8, stat("Output tokens a day", "Tokens that the servers generate for us, failed and unmeasured requests included, at the pace of "
                 "the chosen time range. This is the GPU time that watching costs.",
                 [instant(a_day("output_tokens_total"))], color=color("text"))),
        (8, stat("Prompt tokens a day", "Prompt tokens that the servers read for us, at the pace of the chosen time range. Long-prompt "
                 "probes make most of it: give them long intervals.", [instant(a_day("prompt_tokens_total"))], color=color("text"))),
    ]


def cost():
    by = "target, probe"
    queries = [table_query(a_day(name, by), ref) for ref, name in (
        ("Requests", "requests_total"), ("Output", "output_tokens_total"), ("Prompt", "prompt_tokens_total"),
        ("Cached", "cached_prompt_tokens_total"), ("Reasoning", "reasoning_tokens_total"))]
    busy = metric("measured_run_seconds_total", TARGETS + PROBES)
    queries.append(table_query(f"sum by ({by}) (increase({busy}[$__range])) / $__range_s", "Busy"))
    number = {"unit": "short"}
    columns = {"target": ("Target", {"custom__minWidth": 100}), "probe": ("Probe", {"custom__minWidth": 80}),
               "Value #Requests": ("Requests", number), "Value #Output": ("Output", number), "Value #Prompt": ("Prompt", number),
               "Value #Cached": ("Cached", number), "Value #Reasoning": ("Reasoning", number),
               "Value #Busy": ("Under probe", {"unit": "percentunit", "decimals": 1})}
    output = metric("output_tokens_total", TARGETS + PROBES)
    return [
        (9, [(24, table("Cost a day", "Requests and tokens a day by target and probe, at the pace of the chosen time range, and the share "
                   "of time in which a successful run was under way. What costs most and tells least deserves a longer interval.",
                   queries, columns,
                   order=(("Value #Output", True),), empty="no run in this time range"))]),
        (7, [(24, lines("Output tokens", "Output tokens that each probe causes, by time. Steps come from a changed configuration; a fall "
                   "to nothing means failing runs.",
                   [series(f"sum by (probe) (increase({output}[$__rate_interval]))", "{{probe}}")], unit="short", bars=True, stack=True,
                   points=60, interval="1m"))]),
    ]


def health():
    return [
        (6, lines("CPU", "Processor time of the agent; 100 % is one core. High with few targets: many streams at once, or a fault worth a "
                  "report.",
                  [series(of_agents(f"rate({process('cpu_seconds_total')}[$__rate_interval])"), "{{instance}}")], unit="percentunit", min=0)),
        (6, lines("Memory", "Resident memory of the agent. It grows with targets and with open streams and then stays; a steady climb is "
                  "a fault worth a report.",
                  [series(of_agents(process("resident_memory_bytes")), "{{instance}}")], unit="bytes", min=0)),
        (6, lines("File descriptors", "Share of the files and connections that the agent may open. Near 100 % raise the limit "
                  "(LimitNOFILE) or lower the concurrency: runs fail as internal.",
                  [series(of_agents(f"{process('open_fds')} / {process('max_fds')}"), "{{instance}}")],
                  unit="percentunit", min=0)),
        (6, lines("Scrape", "How long Prometheus takes to read the agent's page. Near the scrape time-out (10 s unless configured) "
                  "figures get lost: fewer targets for each agent.",
                  [series(of_agents(f"scrape_duration_seconds{{{AGENT}}}"), "{{instance}}")], unit="s", min=0)),
    ]


def build():
    return dashboard("agent", "tokprobe itself: is it on time, how exact is it, what does it cost the servers?", "now-6h",
                     [v for v in variables() if v["name"] != "concurrency"], [
                         (None, [(4, head())]),
                         ("Schedule", [(8, schedule())]),
                         ("Accuracy and access", [(8, accuracy())]),
                         ("Cost", [(4, cost_overview()), *cost()]),
                         ("Process", [(7, health())]),
                     ])
