"""Cases of the alerts on what a target does wrong, and on results that are not there."""
from cases import Case
from cases_speed import MAINTENANCE, SEEN, WHO
from world import failures, warnings

# Fails from minute 9 on, once a minute.
ROW = "0x8 1 2 3 4 5x10"
DOWN = {"consecutive_failures": ROW, failures("http_5xx"): ROW}
FAILED = "failed 5 times in a row; most frequent reason: http_5xx."
DOWN_WARNING = f"{WHO} {FAILED} {SEEN}"

FAILING = (
    Case("ProbeFailing", "critical", 14, DOWN, f"The probe that runs most often at {WHO} {FAILED} Users of this server get errors now. {SEEN}",
         quiet=({"consecutive_failures": "0x12 1+1x1"}, {"consecutive_failures": "0x11 1 2 0x9"}, MAINTENANCE),
         absent=("consecutive_failures",), twin=DOWN_WARNING),
    # Another probe of the target runs more often and is fine: the server is not down.
    Case("ProbeFailing", "warning", 14, DOWN, DOWN_WARNING, quiet=({"consecutive_failures": "0x20"}, MAINTENANCE),
         absent=("consecutive_failures",), others=(({"probe": "pulse"}, {"probe_interval_seconds": "10x20"}),)),
    # A wrong key is not the server's fault.
    Case("ProbeFailing", "warning", 14, {"consecutive_failures": ROW, failures("unauthorized"): ROW},
         DOWN_WARNING.replace("http_5xx", "unauthorized"), quiet=({"consecutive_failures": "0x20"}, MAINTENANCE),
         absent=("consecutive_failures",), also=("TokprobeUnauthorized",)),
    # Two runs are enough for a slow probe.
    Case("ProbeFailing", "critical", 16, {"consecutive_failures": "0x5 1x5 2x20", failures("timeout_total"): "0x5 1x5 2x20"},
         f"""The probe that runs most often at {WHO} failed 2 times in a row; most frequent reason: timeout_total. Users of this server
         get errors now. {SEEN}""",
         quiet=({"consecutive_failures": "1x100"}, MAINTENANCE), absent=("consecutive_failures",),
         healthy={"interval": 3600, "timeout": 600, "requests": 1 / 60},
         twin=f"{WHO} failed 2 times in a row; most frequent reason: timeout_total. {SEEN}"),
)

REFUSED = (
    Case("Stalls", "warning", 12, {failures("timeout_stall"): "0x5 1x3 2x20"},
         f"2 answers of {WHO} began and then fell silent in the last 30m; alerts from 2. To users the server hangs in mid-sentence. {SEEN}",
         quiet=({failures("timeout_stall"): "0x5 1x30"}, {failures("timeout_stall"): "3x50"}, MAINTENANCE),
         absent=("request_failures",), extra={"reason": "timeout_stall", "window": "30m"}),
    Case("Unauthorized", "warning", 12, {failures("unauthorized"): "0x5 1 2x20"},
         f"""{WHO} answered 2 requests in the last 30m with HTTP 401 or 403. Nothing is known about this server until the key is
         right. {SEEN}""",
         quiet=({failures("unauthorized"): "0x5 1x30"}, MAINTENANCE),
         absent=("request_failures",), extra={"reason": "unauthorized", "window": "30m"}),
)


def share(alert, warning, many, few, figures, text):
    """`many` and `few` requests of one a minute, steadily."""
    return Case(alert, "warning", 12, {warnings(warning): f"0+{many}x50"}, f"{figures} of the requests to {WHO} in the last 30m {text} {SEEN}",
                quiet=({warnings(warning): f"0+{few}x50"}, {warnings(warning): "0x8 2x10", "requests_total": "0x8 2x10"}, MAINTENANCE),
                absent=("request_warnings",), extra={"window": "30m"})


FIGURES = (
    share("ShortOutput", "short_output", 0.3, 0.2, "30%", """gave fewer than half of the tokens asked; alerts above 25%. The server is told
          to ignore its end-of-text token, so it should give all of them."""),
    share("PromptLengthOff", "prompt_length", 0.6, 0.4, "60%", """had a prompt over 10 % off the configured length, by the server's count;
          alerts above 50%. Its times to first token are not those of the configured length."""),
    share("ResponseBuffered", "burst", 0.6, 0.4, "60%", """came in one piece or in bursts; alerts above 50%. Users see nothing, then all of
          it, and the times to first token and between tokens are not the server's."""),
    share("ResponseBuffered", "not_streamed", 0.6, 0.4, "60%", """came in one piece or in bursts; alerts above 50%. Users see nothing, then
          all of it, and the times to first token and between tokens are not the server's."""),
)

PROBE = ("job", "instance", "target", "team", "probe")
WHICH = "qwen (probe heartbeat)"
RESULTS = (
    # 3 intervals of 60 s and a time-out of 45 s: late from minute 13 on, and then for five minutes.
    Case("ResultsStale", "warning", 20, {"last_run_timestamp_seconds": "0+60x8 540x20"},
         f"The last run of {WHO} began 11m 0s ago, more than 3 intervals and a time-out. The other alerts on it say nothing now. {SEEN}",
         quiet=({"last_run_timestamp_seconds": "0+60x15 900x10"}, {"probe_interval_seconds": "600x30"}, MAINTENANCE),
         absent=("last_run",)),
    Case("ResultsMissing", "warning", 40, {"last_run_timestamp_seconds": "_x50"},
         f"{WHICH}, configured to run every 1m 0s, has no run to show. {SEEN}",
         quiet=({"last_run_timestamp_seconds": "_x30 0x20"}, {"probe_interval_seconds": "_x20 60x30"},  # configured just now
                {"last_run_timestamp_seconds": "0x30 _x20"},  # the agent was started again
                {"probe_interval_seconds": "3600x50"}, MAINTENANCE),
         absent=("probe_interval",), labels=PROBE),
    Case("BlindWhileBusy", "warning", 12, {"runs_degraded_total": "0+1x50"},
         f"""100% of the runs of {WHICH} in the last 30m were replaced by a heartbeat because the server was busy; alerts above 90%.
         There are no figures of its speed. {SEEN}""",
         quiet=({"runs_degraded_total": "0+0.8x50"}, {"runs_degraded_total": "0x2 2x10", "runs_total": "0x2 2x10"}, MAINTENANCE),
         absent=("runs_degraded",), labels=PROBE, extra={"window": "30m"}),
    Case("RunsSkipped", "info", 15, {'runs_skipped_total{reason="overlap"}': "0+0.5x50"},
         f"""33.33% of the slots of {WHICH} in the last 30m had no run because another one was not over; alerts above 20%. The schedule
         does not fit, or the server became slow. {SEEN}""",
         quiet=({'runs_skipped_total{reason="overlap"}': "0+0.2x50"},
                {'runs_skipped_total{reason="overlap"}': "0x50", 'runs_skipped_total{reason="maintenance"}': "0+0.5x50"}, MAINTENANCE),
         absent=("runs_skipped",), labels=PROBE, extra={"window": "30m"}),
)

CASES = FAILING + REFUSED + FIGURES + RESULTS
