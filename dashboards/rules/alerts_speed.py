"""Alerts on how fast a target is: against what is normal for it, and against its objectives."""
import parameters as p
from promql import LEVEL_LABELS, SEEN_BY, WHO, Group, alert, ask, equal, latest_of, lines, of_alert

NAMES = {"throughput": "ThroughputDrop", "ttft": "TtftRegression", "tpot": "TpotRegression"}
SUMMARIES = {
    "throughput": "A server gives fewer tokens per second than it normally does.",
    "ttft": "A server takes longer to its first token than it normally does.",
    "tpot": "A server takes longer for each output token than it normally does.",
}
# Words before the figure, its gauge, the expected one, how to write it.
FIGURES = {
    "throughput": ("Tokens per second", "tokprobe_run_output_tokens_per_second", "tokprobe_expected_output_tokens_per_second",
                   "value | humanize"),
    "ttft": ("Time to first token", "tokprobe_run_time_to_first_token_seconds",
             "tokprobe_expected_time_to_first_token_seconds", "value | humanizeDuration"),
    "tpot": ("Time per output token", "tokprobe_run_time_per_output_token_seconds",
             "tokprobe_expected_time_per_output_token_seconds", "value | humanizeDuration"),
}
OVER = {
    "recent": "Median of the last 30 minutes (at least 5 runs)",
    "trend": "Median of the last 4 hours (at least 12 runs)",
    "month": "Median of the last day (at least 24 runs) against what was normal 28 days ago",
}
COUNTS = "target_probe_concurrency_objective:tokprobe_objective_"


def regression(q, row):
    what, gauge, expected, write = FIGURES[row.measure]
    selector = q.latest("tokprobe_speed_ratio", equal("measure", row.measure), equal("window", row.window))
    return alert(NAMES[row.measure], row.severity, f"{selector} < {row.below}\n{q.unless_stale()}\n{q.unless_maintenance()}",
                 SUMMARIES[row.measure], f"""
        {of_alert(*LEVEL_LABELS)}
        {WHO} is at {{{{ $value | humanizePercentage }}}} of its normal speed. {what} of the last run: {ask(latest_of(gauge), write)};
        expected at this load: {ask(latest_of(expected), write)},
        from {ask(latest_of("tokprobe_expected_samples"), 'value | printf "%.0f"')} runs.
        {OVER[row.window]}; alerts below {row.below * 100:g}%. {SEEN_BY}""",
                 row.wait, row.keep, labels={"window": row.window})


def burn(q, row):
    def recorded(what, window):
        return q.of(f"{COUNTS}{what}{window}")

    def count(what):
        return ask(f"{COUNTS}{what}:increase{row.long}{{%s}}", 'value | printf "%.0f"')
    expr = lines(f"""
        {recorded("burn:ratio", row.long)} > {row.factor:g}
        and
          {recorded("burn:ratio", row.short)} > {row.factor:g}
        and
          {recorded("requests:increase", row.long)} >= {p.OBJECTIVE_REQUESTS}
        and
          {recorded("violations:increase", row.long)} >= {p.OBJECTIVE_VIOLATIONS}""")
    return alert(f"Objective{row.alert}", row.severity, f"{expr}\n{q.unless_maintenance()}",
                 "Too many requests miss an objective: its error budget is being used up.", f"""
        {of_alert(*LEVEL_LABELS, "objective")}
        {count("violations")} of {count("requests")} requests to {WHO} missed the objective {{{{ $labels.objective }}}}
        in {q.window(row.long)}: its error budget burns {{{{ $value | printf "%.1f" }}}} times too fast, and still so in the last
        {q.window(row.short)}. Alerts above a factor of {row.factor:g}. {SEEN_BY}""",
                 row.wait, p.BURN_KEEP, labels={"window": q.window(row.long)})


def low_volume(q):
    expr = lines(f"""
        {q.of(f"{COUNTS}violations:increase{p.LOW_VOLUME_WINDOW}")} >= {p.LOW_VOLUME_VIOLATIONS}
        and
          {q.of(f"{COUNTS}burn:ratio{p.LOW_VOLUME_WINDOW}")} > 1
        and
          {q.of(f"{COUNTS}requests:increase{p.LOW_VOLUME_QUIET}")} < {p.OBJECTIVE_REQUESTS}""")
    return alert("ObjectiveLowVolume", "warning", f"{expr}\n{q.unless_maintenance()}",
                 "A probe that makes few requests misses its objective again and again.", f"""
        {{{{ $value | printf "%.0f" }}}} requests to {WHO} missed the objective {{{{ $labels.objective }}}} in {p.LOW_VOLUME_WINDOW}.
        The probe makes too few requests for a burn rate: fewer than {p.OBJECTIVE_REQUESTS} in {p.LOW_VOLUME_QUIET}. {SEEN_BY}""",
                 p.LOW_VOLUME_WAIT, p.BURN_KEEP)


def regressions(q):
    yield Group("tokprobe-regression", "1m", [regression(q, row) for row in p.REGRESSIONS])


def objectives(q):
    yield Group("tokprobe-objective-alerts", "1m", [burn(q, row) for row in p.BURNS] + [low_volume(q)])
