"""Alerts on what a target does wrong, and on results that are not there."""
import parameters as p
from promql import (LEVEL, LEVEL_LABELS, PROBE, SEEN_BY, WHICH, WHO, Group, alert, any_of, ask, equal, latest_of, lines,
                    none_of, of_alert)
from recording import FAILING, FASTEST, LEVEL_NAME

FAILURES = f"{LEVEL_NAME}_reason:tokprobe_request_failures:increase_recent"
WARNINGS = f"{LEVEL_NAME}_warning:tokprobe_request_warnings:increase_recent"
REQUESTS = f"{LEVEL_NAME}:tokprobe_requests:increase_recent"

OF = of_alert(*LEVEL_LABELS)
REASON = ask(f"topk(1, {FAILURES}{{%s}} > 0)", 'label "reason"', "none, the requests were ok but a check failed")


def probe_failing(q):
    muted = q.unless_maintenance()
    description = f"""
{OF} {WHO} failed {{{{ $value | printf "%.0f" }}}} times in a row; most frequent reason: {REASON}.
{SEEN_BY}"""
    whole = f"""
{OF} The probe that runs most often at {WHO} failed {{{{ $value | printf "%.0f" }}}} times in a row; most frequent
reason: {REASON}. Users of this server get errors now.
{SEEN_BY}"""
    critical = lines(f"""
        {q.of(FAILING)}
        and on ({PROBE})
          {q.of(FASTEST)}
        and on ({LEVEL})
          sum without (reason) ({q.of(FAILURES, none_of("reason", p.OUR_REASONS))}) > 0""")
    return [
        alert("ProbeFailing", "critical", f"{critical}\n{muted}", "A server fails its probes.", whole, p.FAILING_WAIT, p.FAILING_KEEP,
              "The fastest probe fails for reasons that are the server's own: the server is down."),
        alert("ProbeFailing", "warning", f"{q.of(FAILING)}\n{muted}", "A probe of a server fails.", description,
              p.FAILING_WAIT, p.FAILING_KEEP, "Any probe, for any reason."),
    ]


def counted(q, reason, count):
    return f"{q.of(FAILURES, equal('reason', reason))} >= {count}\n{q.unless_maintenance()}"


def stalls(q):
    return alert("Stalls", "warning", counted(q, "timeout_stall", p.STALLS), "Answers of a server fall silent in the middle.", f"""
{{{{ $value | printf "%.0f" }}}} answers of {WHO} began and then fell silent in the last {{{{ $labels.window }}}};
alerts from {p.STALLS}. To users the server hangs in mid-sentence.
{SEEN_BY}""")


def unauthorized(q):
    return alert("Unauthorized", "warning", counted(q, "unauthorized", p.UNAUTHORIZED), "A server refuses the agent's API key.", f"""
{WHO} answered {{{{ $value | printf "%.0f" }}}} requests in the last {{{{ $labels.window }}}} with HTTP 401 or 403.
Nothing is known about this server until the key is right.
{SEEN_BY}""")


def share(q, row, summary, description):
    """Of the requests at the probe's pace."""
    number = f"sum without (warning) ({q.of(WARNINGS, any_of('warning', row.warnings))})"
    expr = lines(f"""
        {number}
          / {q.of(REQUESTS)} > {row.above:g}
        and on ({LEVEL})
          {number} >= {row.count}""")
    return alert(row.alert, row.severity, f"{expr}\n{q.unless_maintenance()}", summary, description)


def figures_in_doubt(q):
    of_requests = "{{ $value | humanizePercentage }} of the requests to " + WHO + " in the last {{ $labels.window }}"
    return [
        share(q, p.SHORT_OUTPUT, "Answers of a server end long before the length that was asked for.", f"""
{of_requests} gave fewer than half of the tokens asked; alerts above {p.SHORT_OUTPUT.above:.0%}.
The server is told to ignore its end-of-text token, so it should give all of them.
{SEEN_BY}"""),
        share(q, p.PROMPT_LENGTH, "A server counts another prompt length than the one asked for.", f"""
{of_requests} had a prompt over 10 % off the configured length, by the server's count; alerts above
{p.PROMPT_LENGTH.above:.0%}. Its times to first token are not those of the configured length.
{SEEN_BY}"""),
        share(q, p.BUFFERING, "Answers of a server do not arrive as a stream.", f"""
{of_requests} came in one piece or in bursts; alerts above {p.BUFFERING.above:.0%}. Users see nothing,
then all of it, and the times to first token and between tokens are not the server's.
{SEEN_BY}"""),
    ]


def stale(q):
    overdue = q.of(f"{LEVEL_NAME}:tokprobe_run_overdue:ratio")
    return alert("ResultsStale", "warning", f"{overdue} > 1\n{q.unless_maintenance()}", "The results of a probe are old.", f"""
{OF} The last run of {WHO} began
{ask(f"time() - {latest_of('tokprobe_last_run_timestamp_seconds')}", "value | humanizeDuration")} ago, more than
{p.STALE_INTERVALS} intervals and a time-out. The other alerts on it say nothing now.
{SEEN_BY}""", p.STALE_WAIT)


def missing(q):
    """A probe that was configured a whole window ago and has not run since."""
    def at_pace(pace, shorter):
        was = q.of("tokprobe_probe_interval_seconds", offset=pace.window)
        bounds = f"> {q.number_of_seconds(shorter)} " if shorter else ""
        ran = f"max_over_time({q.of('tokprobe_last_run_timestamp_seconds', window=pace.window)})"
        return (f"  {q.latest('tokprobe_probe_interval_seconds')} {bounds}<= {q.number_of_seconds(pace.longest_interval)}\n"
                f"    and on ({PROBE}) {was}\n    unless on ({PROBE}) {ran}")
    shorter = (None, *(pace.longest_interval for pace in p.PACES))
    expr = "(\n" + "\n  or\n".join(at_pace(*pair) for pair in zip(p.PACES, shorter)) + "\n)"
    return alert("ResultsMissing", "warning", f"{expr}\n{q.unless_maintenance()}", "A probe is configured but has never run.", f"""
{WHICH}, configured to run every {{{{ $value | humanizeDuration }}}}, has no run to show.
{SEEN_BY}""", p.STALE_WAIT)


def schedule(q):
    degraded, runs = q.of("target_probe:tokprobe_runs_degraded:increase_recent"), q.of(f"{LEVEL_NAME}:tokprobe_runs:increase_recent")
    skipped = f"sum without (reason) ({q.of('target_probe_reason:tokprobe_runs_skipped:increase_recent', equal('reason', 'overlap'))})"
    muted = q.unless_maintenance()
    blind = lines(f"""
        {degraded}
          / sum without (concurrency) ({runs}) > {p.BUSY_SHARE:g}
        and
          {degraded} >= {p.BUSY_RUNS}""")
    late = lines(f"""
        {skipped}
          / ({skipped} + max without (concurrency) ({runs})) > {p.SKIPPED_SHARE:g}
        and
          {skipped} >= {p.SKIPPED_RUNS}""")
    return [
        alert("BlindWhileBusy", "warning", f"{blind}\n{muted}", "A server is so busy that its speed is not measured.", f"""
{{{{ $value | humanizePercentage }}}} of the runs of {WHICH} in the last {{{{ $labels.window }}}} were replaced
by a heartbeat because the server was busy; alerts above {p.BUSY_SHARE:.0%}. There are no figures of its speed.
{SEEN_BY}""", p.STALE_WAIT),
        alert("RunsSkipped", "info", f"{late}\n{muted}", "Runs are left out because those before them take too long.", f"""
{{{{ $value | humanizePercentage }}}} of the slots of {WHICH} in the last {{{{ $labels.window }}}} had no run because
another one was not over; alerts above {p.SKIPPED_SHARE:.0%}. The schedule does not fit, or the server became slow.
{SEEN_BY}""", p.STALE_WAIT),
    ]


def groups(q):
    yield Group("tokprobe-failures", "1m", probe_failing(q) + [stalls(q), unauthorized(q)])
    yield Group("tokprobe-figures", "1m", figures_in_doubt(q))
    yield Group("tokprobe-results", "1m", [stale(q), missing(q), *schedule(q)])
