"""The recording rules: counts at each probe's pace, availability, error budgets, and who is late or failing."""
import parameters as p
from promql import PROBE, TARGET, Group, Rule, any_of, equal, lines, none_of, seconds

LEVEL_NAME = "target_probe_concurrency"
FASTEST = "target_probe:tokprobe_probe_interval_seconds:fastest"
FAILING = f"{LEVEL_NAME}:tokprobe_consecutive_failures:failing"
UNREACHABLE = "target:tokprobe_consecutive_failures:unreachable"
# What is counted at a probe's pace: (recorded name, metric, matchers, labels summed away).
COUNTED = (
    (f"{LEVEL_NAME}:tokprobe_runs:increase_recent", "tokprobe_runs_total", ()),
    (f"{LEVEL_NAME}:tokprobe_requests:increase_recent", "tokprobe_requests_total", ()),
    (f"{LEVEL_NAME}_reason:tokprobe_request_failures:increase_recent", "tokprobe_request_failures_total", ()),
    (f"{LEVEL_NAME}_warning:tokprobe_request_warnings:increase_recent", "tokprobe_request_warnings_total",
     ('warning=~"short_output|prompt_length|burst|not_streamed"',)),
    ("target_probe:tokprobe_runs_degraded:increase_recent", "tokprobe_runs_degraded_total", ()),
    ("target_probe_reason:tokprobe_runs_skipped:increase_recent", "tokprobe_runs_skipped_total", ()),
)


def counts(q):
    """One group for each pace. The label window says over what a probe was counted."""
    shorter = None
    for pace in p.PACES:
        interval = q.latest("tokprobe_probe_interval_seconds")
        bounds = f"> {q.number_of_seconds(shorter)} " if shorter else ""
        bounds += f"<= {q.number_of_seconds(pace.longest_interval)}"
        shorter = pace.longest_interval
        yield Group(f"tokprobe-recent-{pace.window}", pace.every, [
            Rule(name, f"{q.increase(metric, pace.window, *matchers)}\n  and on ({PROBE})\n    {interval} {bounds}",
                 labels={"window": q.window(pace.window)})
            for name, metric, matchers in COUNTED])


def state(q):
    interval, failures = q.latest("tokprobe_probe_interval_seconds"), q.latest("tokprobe_consecutive_failures")
    yield Group("tokprobe-state", "1m", [
        Rule(f"{LEVEL_NAME}:tokprobe_run_overdue:ratio", lines(f"""
            (time() - {q.latest("tokprobe_last_run_timestamp_seconds")})
            / on ({PROBE}) group_left ()
              max by ({PROBE}) (
                {p.STALE_INTERVALS} * {interval}
                + {q.latest("tokprobe_probe_timeout_seconds")}
              )"""), "Above 1 the last run is too long ago to say anything about now."),
        Rule(FASTEST, lines(f"""
            {interval}
            == on ({TARGET}) group_left ()
              min by ({TARGET}) ({interval})"""), "The probe that runs most often stands for the target."),
        Rule(FAILING, lines(f"""
            {failures} >= {p.FAILING_RUNS}
            or
            {failures} >= {p.FAILING_RUNS_SLOW}
              and on ({PROBE})
                {interval} > {q.number_of_seconds(p.PACES[0].longest_interval)}"""),
             "Probes that fail, with their runs in a row without success."),
        Rule(UNREACHABLE, lines(f"""
            max by ({TARGET}) (
              {failures} >= {p.UNREACHABLE_RUNS}
                and on ({PROBE})
                  {q.of(FASTEST)}
            )
            and on ({TARGET})
              sum by ({TARGET}) (
                {q.increase("tokprobe_request_failures_total", p.UNREACHABLE_WINDOW, any_of("reason", p.UNREACHABLE_REASONS))}
              ) > 0""") + "\n" + q.unless_maintenance(), "Targets to which no connection can be made."),
    ])


def availability(q):
    ours, theirs = any_of("reason", p.OUR_REASONS), none_of("reason", p.OUR_REASONS)

    def rules(w):
        attempts = f"{LEVEL_NAME}:tokprobe_requests_judged:increase{w}"
        faults = f"{LEVEL_NAME}:tokprobe_request_faults:increase{w}"
        failed = "tokprobe_request_failures_total"
        return [
            Rule(faults, f"sum without (reason) ({q.increase(failed, w, theirs)})"),
            Rule(attempts, f"{q.increase('tokprobe_requests_total', w)}\n"
                           f"- sum without (reason) ({q.increase(failed, w, ours)})"),
            Rule(f"{LEVEL_NAME}:tokprobe_availability:ratio{w}",
                 f"1 - {q.of(faults)} / ({q.of(attempts)} > 0)")]
    yield from by_cost("tokprobe-availability", p.AVAILABILITY_WINDOWS, rules)


def objectives(q):
    name = f"{LEVEL_NAME}_objective"
    value, on = "tokprobe_objective_value", f"{PROBE}, objective"
    budget = "target_probe_objective:tokprobe_objective_budget:ratio"
    yield Group("tokprobe-objective-budgets", "1m", [Rule(budget, lines(f"""
        max by ({on}) (
          1 - {q.latest(value, equal("objective", "availability"))}
          or
          0 * {q.latest(value, 'objective!="availability"')} + {p.OBJECTIVE_BUDGET}
        )"""), "The share of requests that may miss the objective.")])

    def rules(w):
        requests, violations = f"{name}:tokprobe_objective_requests:increase{w}", f"{name}:tokprobe_objective_violations:increase{w}"
        return [
            Rule(requests, q.increase("tokprobe_objective_requests_total", w)),
            Rule(violations, q.increase("tokprobe_objective_violations_total", w)),
            Rule(f"{name}:tokprobe_objective_burn:ratio{w}",
                 f"{q.of(violations)} / ({q.of(requests)} > 0)\n/ on ({on}) group_left ()\n  {q.of(budget)}")]
    windows = {w for burn in p.BURNS for w in (burn.long, burn.short)} | {p.LOW_VOLUME_WINDOW, p.LOW_VOLUME_QUIET}
    yield from by_cost("tokprobe-objectives", sorted(windows, key=seconds), rules)


def by_cost(name, windows, rules):
    """The long windows in a group of their own."""
    short = [w for w in windows if w not in p.LONG_WINDOWS]
    yield Group(name, "1m", [rule for w in short for rule in rules(w)])
    yield Group(f"{name}-long", p.LONG_EVERY, [rule for w in windows if w in p.LONG_WINDOWS for rule in rules(w)])


def groups(q):
    yield from state(q)
    yield from counts(q)
    yield from availability(q)
    yield from objectives(q)
