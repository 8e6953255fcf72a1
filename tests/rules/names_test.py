"""Everything that a rule names exists: metrics, labels and their values in dashboards/METRICS.md, recorded series in the rules."""
import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.append(os.path.join(ROOT, "dashboards", "rules"))

import generate  # noqa: E402
from promql import Language  # noqa: E402

# What Prometheus itself adds, and what an alert carries.
PROMETHEUS = {"up": set()}
EVERYWHERE = {"job", "instance"}
# Metrics that come with a later version; the rules are written so that they work without.
LATER = {"tokprobe_maintenance": {"target"}}

WORDS = {"by", "without", "on", "ignoring", "group_left", "group_right", "and", "or", "unless", "offset", "bool"}
SELECTOR = re.compile(r"(?<![\w:])([a-zA-Z_:][\w:]*)(?:\{([^}]*)\})?(?!\s*\()(?![\w:])")
LABEL_LIST = re.compile(r"\b(?:by|without|on|ignoring|group_left)\s*\(([^)]*)\)")


def selectors(expression):
    """[(metric, matchers)] of a PromQL expression."""
    plain = LABEL_LIST.sub(" ", expression)
    plain = re.sub(r"\[[^\]]*\]|\boffset \w+", " ", plain)
    return [(name, inside or "") for name, inside in SELECTOR.findall(plain) if name not in WORDS]


def listed_labels(expression):
    return {label.strip() for inside in LABEL_LIST.findall(expression) for label in inside.split(",") if label.strip()}


def matched_labels(inside):
    return re.findall(r'(\w+)(?:=~|!~|!=|=)"([^"]*)"', inside)


def documented(text):
    """({metric: labels}, {label: values}) of METRICS.md."""
    metrics = {}
    for name, labels in re.findall(r"^\| `(\w+)` \| \w+ \| ([^|]*) \|", text, re.M):
        metrics[name] = {word for word in re.findall(r"[a-z_]+", labels.split(" and the labels")[0])}
    values = {label: set(re.findall(r"^- `(\w+)`", part, re.M))
              for label, part in re.findall(r"^## Values of `(\w+)`\n(.*?)(?=^## |\Z)", text, re.M | re.S)}
    return metrics, values


def queries_of(rule):
    """Its expression and those in its description, where %s stands for matchers of the alert."""
    return [rule.expr] + [query.replace("{%s}", "") for query in re.findall(r"with printf `([^`]*)`", rule.description)]


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(os.path.join(ROOT, "dashboards", "METRICS.md")) as f:
            cls.metrics, cls.values = documented(f.read())
        cls.rules = [rule for _, groups in generate.FILES.values() for group in groups(Language()) for rule in group.rules]
        cls.recorded = {rule.name for rule in cls.rules if not rule.severity}

    def labels_of(self, metric):
        """Its own labels; of a recorded series whatever any metric has."""
        if metric in self.recorded:
            return set().union(*self.metrics.values()) | {"window"}
        return {**LATER, **PROMETHEUS, **self.metrics}[metric]

    def test_every_metric_exists(self):
        known = set(self.metrics) | self.recorded | set(LATER) | set(PROMETHEUS)
        named = {name for rule in self.rules for query in queries_of(rule) for name, _ in selectors(query)}
        self.assertGreater(len(named), 50, "the expressions are not understood")
        self.assertEqual(sorted(named - known), [])

    def test_every_recorded_series_is_used(self):
        used = {name for rule in self.rules for query in queries_of(rule) for name, _ in selectors(query)}
        # For dashboards and reports.
        kept = {name for name in self.recorded if ":tokprobe_availability:" in name}
        self.assertEqual(sorted(self.recorded - used - kept), [])

    def test_every_label_exists(self):
        anywhere = set().union(*self.metrics.values()) | EVERYWHERE | {"window"}
        for rule in self.rules:
            for query in queries_of(rule):
                for name, inside in selectors(query):
                    for label, value in matched_labels(inside):
                        self.assertIn(label, self.labels_of(name) | EVERYWHERE, rule.name)
                        if label in self.values and "tokprobe_request_" in name:
                            self.assertEqual(set(value.split("|")) - self.values[label], set(), rule.name)
                self.assertEqual(listed_labels(query) - anywhere, set(), rule.name)
            self.assertEqual(set(re.findall(r"\$labels\.(\w+)", rule.description)) - anywhere, set(), rule.name)

    def test_joins_name_the_agent(self):
        """Two agents may watch one target: a join on less than job and instance would mix them up."""
        for rule in self.rules:
            for labels in re.findall(r"\b(?:by|on)\s*\(([^)]*)\)", rule.expr):
                self.assertEqual(labels.split(", ")[:2], ["job", "instance"], rule.name)

    def test_reader_of_expressions(self):
        self.assertEqual(selectors('sum by (job) (increase(a_total{x="1"}[5m])) / on (job) group_left () b:c:d offset 5m > 3 unless up'),
                         [("a_total", 'x="1"'), ("b:c:d", ""), ("up", "")])


if __name__ == "__main__":
    unittest.main()
