"""Every number of the rules: thresholds, windows, severities, waiting times. Change them here, run generate.py, run the tests.

Durations are written as Prometheus writes them. `wait` is `for`: how long a condition must hold before the alert fires.
`keep` is keep_firing_for: how long the alert lives on after the condition has gone.
"""
from typing import NamedTuple

RUNBOOK = "https://github.com/tokprobe/tokprobe/blob/main/dashboards/RUNBOOK.md"

# How long a gauge counts after its last sample. A missed scrape or two must not reset an alert; 5m is also what
# Prometheus itself looks back.
LATEST = "5m"


class Pace(NamedTuple):
    """Probes up to this interval are counted over this window, so that the window holds at least six runs."""
    window: str
    longest_interval: str
    every: str  # how often the counts are evaluated; below 5m, or the recorded series would have holes


# A probe slower than the last row has no counts: only its failures in a row and its age are watched.
PACES = (Pace("30m", "5m", "1m"), Pace("6h", "1h", "2m"), Pace("3d", "12h", "4m"))


class Regression(NamedTuple):
    measure: str
    window: str  # recent, trend, month: how the agent takes the median, see METRICS.md
    below: float  # of the expected speed
    severity: str
    wait: str
    keep: str


# The ratio is a median already, so `wait` only passes over single steps, and `keep` bridges a ratio that swings
# around the threshold: one alert, not one an hour.
REGRESSIONS = (
    # A fifth slower shows within half an hour; a healthy server stays above 0.89 (tests/detection has
    # the trials).
    Regression("throughput", "recent", 0.88, "warning", "5m", "1h"),
    # Half the speed is an outage to those who wait for the answer.
    Regression("throughput", "recent", 0.50, "critical", "5m", "15m"),
    # A tenth slower drowns in the noise of half an hour, not in that of four.
    Regression("throughput", "trend", 0.925, "warning", "5m", "4h"),
    # Against 28 days ago: slow rot, which the reference of the last week would follow.
    Regression("throughput", "month", 0.94, "warning", "1h", "1d"),
    # Time to first token swings more: prompts wait for places in the batch.
    Regression("ttft", "recent", 0.75, "warning", "5m", "1h"),
    Regression("ttft", "trend", 0.87, "warning", "5m", "4h"),
    Regression("tpot", "recent", 0.88, "warning", "5m", "1h"),
    Regression("tpot", "trend", 0.925, "warning", "5m", "4h"),
    Regression("tpot", "month", 0.94, "warning", "1h", "1d"),
)
# Older than this many intervals and one time-out, a result says nothing about now.
STALE_INTERVALS = 3


class Burn(NamedTuple):
    """The error budget burns `factor` times too fast, over the long window and still over the short one."""
    alert: str
    factor: float
    long: str
    short: str
    severity: str
    wait: str


# The usual factors for a budget of 30 days: 2 % of it in 1 h, 5 % in 6 h, 10 % in 1 d, 10 % in 3 d. The short windows are
# longer than usual, because at one request a minute 5m would hold five.
BURNS = (
    Burn("FastBurn", 14.4, "1h", "15m", "critical", "2m"),
    Burn("FastBurn", 6, "6h", "2h", "critical", "15m"),
    Burn("SlowBurn", 3, "1d", "6h", "warning", "1h"),
    Burn("SlowBurn", 1, "3d", "1d", "warning", "3h"),
)
BURN_KEEP = "15m"
# Windows from this length on are evaluated less often, because they are costly and change slowly.
LONG_WINDOWS, LONG_EVERY = ("1d", "3d", "7d"), "4m"
# The budget of an availability objective is what it leaves; that of a time or speed objective is this share of requests.
OBJECTIVE_BUDGET = 0.05
# Below so many requests a share means little; below so many violations it may be chance.
OBJECTIVE_REQUESTS, OBJECTIVE_VIOLATIONS = 10, 3
# A probe too rare for any burn alert, with fewer than OBJECTIVE_REQUESTS in the second window, is judged by absolute counts.
LOW_VOLUME_WINDOW, LOW_VOLUME_QUIET, LOW_VOLUME_VIOLATIONS = "7d", "3d", 2
LOW_VOLUME_WAIT = "5m"

# Not the server's fault, hence outside its availability.
OUR_REASONS = "internal|unauthorized|rate_limited|http_4xx"
AVAILABILITY_WINDOWS = ("1h", "6h", "1d", "3d")

# Runs in a row without success. One may be chance, three within minutes are not; two of an hourly probe are two hours.
FAILING_RUNS, FAILING_RUNS_SLOW = 3, 2
FAILING_WAIT, FAILING_KEEP = "1m", "5m"

# Stalls are never normal: two within the window of the probe's pace are a pattern.
STALLS = 2
# A wrong key fails every request: two tell it from a hiccup of a gateway.
UNAUTHORIZED = 2


class Share(NamedTuple):
    """Of the requests in the window of the probe's pace; at least `count` of them, so that one says nothing."""
    alert: str
    warnings: str
    above: float
    count: int
    severity: str


SHORT_OUTPUT = Share("ShortOutput", "short_output", 0.25, 3, "warning")
# The prompt's length is calibrated at the first runs, so it must stay off to count.
PROMPT_LENGTH = Share("PromptLengthOff", "prompt_length", 0.50, 3, "warning")
BUFFERING = Share("ResponseBuffered", "burst|not_streamed", 0.50, 3, "warning")

# Nearly every run was replaced by a heartbeat: there are no speed figures.
BUSY_SHARE, BUSY_RUNS = 0.90, 3
# A slot now and then is skipped when a run takes long; a fifth of them means that the schedule does not fit.
SKIPPED_SHARE, SKIPPED_RUNS = 0.20, 3

STALE_WAIT = "5m"

# Agent. Its machine restarts within minutes; longer, nobody watches.
AGENT_DOWN_WINDOW, AGENT_DOWN_WAIT = "3m", "2m"
# An agent is known for as long as it was seen within this time; so no job name needs to be agreed on.
AGENT_KNOWN = "7d"
AGENT_ABSENT_WAIT = "10m"
# Unreachable: the server was not even connected to, so many runs in a row. Most of the targets at once: it is our network.
UNREACHABLE_REASONS, UNREACHABLE_RUNS, UNREACHABLE_WINDOW = "dns|connect|timeout_connect", 2, "10m"
ISOLATED_SHARE, ISOLATED_TARGETS = 0.50, 2
ISOLATED_KEEP = "5m"
# Our own lag made the figures doubtful: of all requests of an agent.
CLIENT_LIMITED_WINDOW, CLIENT_LIMITED_SHARE, CLIENT_LIMITED_COUNT = "30m", 0.10, 3
RELOAD_FAILED_WAIT = "5m"
