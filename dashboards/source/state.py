"""The state of a target as one number, and how it looks; used by the fleet and by a target's own page."""
from kit import AGENT, ALARM, GREEN, GREY, KEY, LEVELS, ORANGE, RED, metric, values

STATES = {4: ("NO AGENT", "purple"), 3: ("DOWN", "dark-red"), 2: ("FAILING", RED), 1: ("SLOW", ORANGE), 0: ("OK", GREEN),
          -1: ("WAITING", GREY)}
MAPPINGS = values(STATES)
MEANING = ("OK; SLOW: well below its normal speed; FAILING: a probe's last run failed; DOWN: all of them; WAITING: no run "
           "yet; NO AGENT: Prometheus cannot reach the agent.")


def slow(matchers, by):
    """The targets that are slower than normal by more than the alert rules bear, in one measure at least."""
    return " or ".join(f"min by ({by}) ({speed_ratio(matchers, measure)}) < {limit}" for measure, limit in ALARM.items())


def speed_ratio(matchers, measure, window="recent"):
    return metric("speed_ratio", f'{matchers}{LEVELS},measure="{measure}",window="{window}"')


def state(matchers):
    """A series for each job, instance and target. The first that applies wins; the worst comes first."""
    success = metric("success", matchers + LEVELS)
    info = metric("target_info", matchers)
    return (f"(max by ({KEY}) (last_over_time({info}[$__range])) and on (job, instance) up{{{AGENT}}} == 0) * 0 + 4 "
            f"or (max by ({KEY}) ({success}) == 0) + 3 "
            f"or (min by ({KEY}) ({success}) == 0) + 2 "
            f"or ({slow(matchers, KEY)}) * 0 + 1 "
            f"or min by ({KEY}) ({success}) * 0 "
            f"or max by ({KEY}) ({info}) * 0 - 1")


def failing(matchers):
    """How many series of a target failed in their last run."""
    success = metric("success", matchers + LEVELS)
    return f"count by ({KEY}) ({success} == 0) or count by ({KEY}) ({success}) * 0"


def failed_share(matchers, *by):
    """Share of the attempted requests in the time range that failed, all reasons."""
    group = f" by ({', '.join(by)})" if by else ""
    return (f"sum{group} (increase({metric('request_failures_total', matchers + LEVELS)}[$__range])) "
            f"/ sum{group} (increase({metric('requests_total', matchers + LEVELS)}[$__range]))")
