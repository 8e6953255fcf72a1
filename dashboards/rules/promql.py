"""What all rules share: selectors, durations, label sets, and the record of one rule."""
import re
import textwrap
from dataclasses import dataclass, field
from typing import NamedTuple

import parameters as p

AGENT = "job, instance"
TARGET = "job, instance, target"
PROBE = "job, instance, target, probe"
LEVEL = "job, instance, target, probe, concurrency"

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
# With a time scale no window gets shorter than a few scrapes, no other duration shorter than a second.
SHORTEST_WINDOW, SHORTEST = 5, 1


def seconds(duration):
    number, unit = re.fullmatch(r"(\d+)([smhd])", duration).groups()
    return int(number) * UNITS[unit]


def written(count):
    """90 -> 90s, 3600 -> 1h, 0.25 -> 250ms."""
    count = round(count, 3)
    if count != int(count):
        return f"{round(count * 1000)}ms"
    unit = next(u for u in "dhms" if count % UNITS[u] == 0)
    return f"{int(count) // UNITS[unit]}{unit}"


@dataclass
class Rule:
    """An alert when it has a severity, else a recording rule. `why` becomes a comment."""
    name: str
    expr: str
    why: str = ""
    labels: dict = field(default_factory=dict)
    severity: str = ""
    wait: str = ""
    keep: str = ""
    summary: str = ""
    description: str = ""


class Group(NamedTuple):
    name: str
    every: str
    rules: list


class Language:
    """Writes PromQL for one selector and one time scale."""

    def __init__(self, selector="", scale=1.0):
        self.selector, self.scale = selector, scale

    def duration(self, duration):
        return written(max(SHORTEST, seconds(duration) / self.scale)) if self.scale != 1 else duration

    def window(self, duration):
        return written(max(SHORTEST_WINDOW, seconds(duration) / self.scale)) if self.scale != 1 else duration

    def number_of_seconds(self, duration):
        return f"{seconds(duration) / self.scale:g}"

    def of(self, metric, *matchers, window=None, offset=None):
        """A selector: metric{matchers}[window] offset ..."""
        inside = ",".join(m for m in (self.selector, *matchers) if m)
        return (metric + (f"{{{inside}}}" if inside else "") + (f"[{self.window(window)}]" if window else "")
                + (f" offset {self.window(offset)}" if offset else ""))

    def latest(self, metric, *matchers):
        return f"last_over_time({self.of(metric, *matchers, window=p.LATEST)})"

    def increase(self, metric, window, *matchers):
        return f"increase({self.of(metric, *matchers, window=window)})"

    def unless_maintenance(self):
        """True as long as there is no such metric."""
        return f"unless on ({TARGET})\n  max_over_time({self.of('tokprobe_maintenance', window=p.LATEST)}) == 1"

    def unless_stale(self):
        return f"unless on ({LEVEL})\n  {self.of('target_probe_concurrency:tokprobe_run_overdue:ratio')} > 1"


def equal(label, value):
    return f'{label}="{value}"'


def any_of(label, values):
    return f'{label}=~"{values}"' if "|" in values else equal(label, values)


def none_of(label, values):
    return f'{label}!~"{values}"'


def lines(text):
    """Text of a triple-quoted string without its indentation."""
    return textwrap.dedent(text).strip("\n")


def alert(name, severity, expr, summary, description, wait="", keep="", why="", labels=None):
    return Rule(f"Tokprobe{name}", expr, why, labels or {}, severity, wait, keep, summary, " ".join(description.split()))


# Templates of annotations. OF, once at the beginning, holds the matchers that select the alert's own series.
LEVEL_LABELS = ("job", "instance", "target", "probe", "concurrency")


def of_alert(*labels):
    return ("{{ $of := printf `" + ",".join(f"{label}=%q" for label in labels) + "` "
            + " ".join(f"$labels.{label}" for label in labels) + " -}}")


def ask(query, write, otherwise="unknown"):
    """The first sample of a query, in which %s stands for the alert's own matchers, as the template `write` shows it."""
    return f"{{{{ with printf `{query}` $of | query }}}}{{{{ . | first | {write} }}}}{{{{ else }}}}{otherwise}{{{{ end }}}}"


def latest_of(metric):
    return f"last_over_time({metric}{{%s}}[{p.LATEST}])"


WHO = "{{ $labels.target }} (probe {{ $labels.probe }}, {{ $labels.concurrency }} at once)"
WHICH = "{{ $labels.target }} (probe {{ $labels.probe }})"
SEEN_BY = "Seen by the agent {{ $labels.instance }}."
