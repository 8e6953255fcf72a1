"""One case for each alert, and how it becomes tests of promtool.

A case is a healthy world (world.py) with a few series replaced, and the alert that must come of it. It is tried in four ways:
  fires       the alert with all its labels and annotations, and no alert that is not in `also`
  gap         the same although a scrape was missed while the alert was waiting and another one at the end
  quiet       nothing fires with some series replaced once more, one world for each entry of `quiet`
  absent      nothing fires, and no query fails, when the series that begin with a word in `absent` do not exist
The worlds of one case differ in their label job, so that promtool tries them side by side; no rule may mix them up.
"""
import dataclasses

import world

PLACE = {"job": "tokprobe", "instance": "agent:18838", "target": "qwen", "team": "search", "probe": "heartbeat", "concurrency": "1"}
RUNBOOK = "https://github.com/tokprobe/tokprobe/blob/main/dashboards/RUNBOOK.md#"


@dataclasses.dataclass
class Case:
    alert: str  # without Tokprobe
    severity: str
    at: int  # minute
    spoiled: dict
    description: str
    quiet: tuple
    absent: tuple
    labels: tuple = ("job", "instance", "target", "team", "probe", "concurrency")
    extra: dict = dataclasses.field(default_factory=dict)  # further labels of the alert
    also: tuple = ()  # alerts that rightly fire as well
    healthy: dict = dataclasses.field(default_factory=dict)  # arguments for world.healthy
    every: int = 1  # minutes between evaluations
    others: tuple = ()  # further worlds: (labels that differ, series replaced)
    absent_fires: bool = False  # without the series in `absent` the alert is right
    twin: str = ""  # what the rule of the same name and severity warning says at the same time

    @property
    def name(self):
        return f"Tokprobe{self.alert}"

    def title(self, kinds):
        return f"{self.alert} {self.severity} {' '.join(self.extra.values())}: {kinds}"


class OnlyTwin(dict):
    """An entry of `quiet` in which the rule of severity warning still fires, and says this."""

    def __init__(self, says, series):
        super().__init__(series)
        self.says = says


def expected(case, job, summaries, only_twin=""):
    """What promtool must find in the world with this job."""
    def one(severity, description):
        labels = dict({label: job if label == "job" else PLACE[label] for label in case.labels}, severity=severity, **case.extra)
        return {"exp_labels": labels, "exp_annotations": {
            "summary": summaries[case.name, severity], "runbook_url": RUNBOOK + case.name.lower(),
            "description": " ".join(description.split())}}
    if only_twin:
        return [one("warning", only_twin)]
    return [one(case.severity, case.description)] + ([one("warning", case.twin)] if case.twin else [])


def input_series(worlds):
    """[(world, place)] as promtool's input; what several worlds of an agent share, such as `up`, stands once."""
    out = {}
    for series, place in worlds:
        for key, values in series.items():
            out.setdefault(world.series(key, place), values)
    return [{"series": name, "values": values} for name, values in out.items()]


def worlds(case, job, spoiled=None, change=lambda series: series):
    """The world of the case and those beside it, with some series replaced once more and all changed."""
    healthy = world.healthy(case.at + 1, **case.healthy)
    own = change({**healthy, **case.spoiled, **(spoiled or {})})
    return [(own, dict(PLACE, job=job))] + [(change({**healthy, **other}), dict(PLACE, job=job, **place)) for place, other in case.others]


def test(case, kinds, all_worlds, found):
    """One test of promtool; `found` are the alerts that must fire, by name."""
    return {"name": case.title(kinds), "interval": "1m", "input_series": input_series(all_worlds),
            "alert_rule_test": [{"eval_time": f"{case.at}m", "alertname": name, "exp_alerts": alerts} for name, alerts in found.items()]}


def without_doubles(alerts):
    return [alert for i, alert in enumerate(alerts) if alert not in alerts[:i]]


def firing(case, all_alerts, summaries):
    missed = worlds(case, "gap", change=lambda series: world.with_missed_scrapes(series, (case.at - 3, case.at)))
    alerts = without_doubles(expected(case, "fires", summaries) + expected(case, "gap", summaries))
    return test(case, "fires, gap", worlds(case, "fires") + missed,
                {name: alerts if name == case.name else [] for name in all_alerts if name not in case.also})


def silent(case, summaries):
    """The worlds in which nothing may fire."""
    def gone(series):
        return {key: values for key, values in series.items() if not any(key.startswith(name) for name in case.absent)}
    everything, alerts = [], []
    for number, spoiled in enumerate(case.quiet, 1):
        everything += worlds(case, f"quiet-{number}", spoiled)
        alerts += expected(case, f"quiet-{number}", summaries, spoiled.says) if isinstance(spoiled, OnlyTwin) else []
    lacking = worlds(case, "absent", change=gone)
    if case.absent_fires:  # it would see the series of the other worlds
        return [test(case, "quiet", everything, {case.name: alerts}),
                test(case, "absent", lacking, {case.name: expected(case, "absent", summaries)})]
    return [test(case, "quiet, absent", everything + lacking, {case.name: alerts})]


def tests_of(case, all_alerts, summaries):
    return [firing(case, all_alerts, summaries), *silent(case, summaries)]
