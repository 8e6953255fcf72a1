"""The dashboards over a live stack: every query has data, Grafana's own schemas hold, and every panel is drawn.

Two agents watch the same servers, so a query that two agents break fails here. Pictures go to build/pictures.
"""
import json
import os
import subprocess
import sys
import time
import unittest
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import lint  # noqa: E402
from lint_test import BOARDS, ROOT, boards  # noqa: E402
from stack import Stack  # noqa: E402
from support import get_json, wait_for  # noqa: E402

# Queries that may be empty, each with its reason: (dashboard, panel, query).
MAY_BE_EMPTY = {
    ("fleet", "Alerts", "A"): "alerts wait for minutes before they fire",
    ("agent", "Runs not made", "A"): "the machine may be fast enough for every run",
}
# Panels that may be drawn empty: of a healthy target.
MAY_BE_DRAWN_EMPTY = {"Failed requests by reason", "Warnings", "Alerts", "Runs not made"}
SINCE, OFFSET = "4m", "1m"


class Live(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = subprocess.run([os.path.join(HERE, "render", "setup.sh")], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        cls.stack = Stack(agents=2, scale=5000)
        cls.addClassCleanup(cls.stack.close)
        began = time.monotonic()
        wait_for("what is normal", lambda: cls.ask("query", query='count(tokprobe_speed_ratio{window="month",measure="throughput",target="qwen-prod"}) > 2'), 300)
        cls.stack.upgrade()
        # Both versions have had several runs, and the earlier time range has data.
        time.sleep(max(45, 180 - (time.monotonic() - began)))

    @classmethod
    def ask(cls, what, **parameters):
        """The series of an answer that have a value."""
        answer = get_json(f"{cls.stack.prometheus}/api/v1/{what}?{urllib.parse.urlencode(parameters)}")
        if not isinstance(answer, dict) or answer["status"] != "success":
            raise AssertionError(f"Prometheus refuses {parameters['query']}: {answer}")
        return [r for r in answer["data"]["result"] if any(v != "NaN" for _, v in r.get("values") or [r["value"]])]

    def answer(self, target, expression, name):
        """What the data source would ask, with every variable at All."""
        text = expression.replace("$__rate_interval", "30s").replace("$__interval", "5s").replace("$__range_s", "240").replace("$__range", SINCE)
        text = text.replace("$offset", OFFSET).replace('target="$target"', f'target="{name}"')
        for variable in ("job", "instance", "target", "probe", "concurrency"):
            text = text.replace(f"${variable}", ".+")
        self.assertNotIn("$", text.replace("$1", ""))  # that one is label_replace's
        now = time.time()
        if target.get("instant"):
            return self.ask("query", query=text, time=now)
        return self.ask("query_range", query=text, start=now - 240, end=now, step=5)

    def test_every_query_has_data(self):
        for file, board in boards().items():
            for panel in lint.panels(board):
                for target in panel["targets"]:
                    key = (file[:-len(".json")], panel["title"], target["refId"])
                    with self.subTest(key):
                        found = any(self.answer(target, target["expr"], name) for name in self.stack.ports)
                        self.assertTrue(found or key in MAY_BE_EMPTY, f"no data for {target['expr']}")

    def test_annotations_are_accepted(self):
        for board in boards().values():
            for annotation in lint.annotations(board):
                self.answer({}, annotation["expr"], "llama-batch")

    def test_every_variable_has_values(self):
        for board in boards().values():
            for where, expression in lint.variable_queries(board):
                self.assertTrue(self.answer({"instant": True}, expression, "qwen-prod"), where)

    def test_two_agents_are_two_lines_of_the_fleet(self):
        table = next(p for p in lint.panels(boards()["fleet.json"]) if p["type"] == "table")
        for target in table["targets"]:
            rows = self.answer(target, target["expr"], "")
            keys = [(r["metric"]["instance"], r["metric"]["target"]) for r in rows]
            self.assertEqual(len(keys), len(set(keys)), f"{target['refId']}: {keys}")
            if target["refId"] == "State":
                self.assertEqual(len(keys), 2 * len(self.stack.ports))
                states = {r["metric"]["target"]: r["value"][1] for r in rows}
                self.assertEqual(states["phi-edge"], "3", "a server that does not answer is DOWN")

    def test_other_jobs_are_no_agents(self):
        panels = {p["title"]: p["targets"][0] for p in lint.panels(boards()["agent.json"])}
        for title in ("Agents", "CPU", "Memory", "File descriptors", "Scrape"):
            rows = self.answer(panels[title], panels[title]["expr"], "")
            self.assertEqual({r["metric"]["instance"] for r in rows}, set(self.stack.agents), title)

    def test_grafana_knows_every_key(self):
        files = [os.path.join(BOARDS, name) for name in boards()]
        done = subprocess.run(["node", os.path.join(self.page, "check.mjs"), *files], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_panel_is_drawn(self):
        self.draw("qwen-prod", list(boards()), "1600,1000", "dark,light")

    def test_a_failing_target_is_drawn(self):
        self.draw("mistral-dev", ["target.json"], "1600", "dark")

    def draw(self, target, names, widths, themes):
        out = os.path.join(ROOT, "build", "pictures", target)
        done = subprocess.run(
            ["node", os.path.join(self.page, "render.mjs"), "--prometheus", self.stack.prometheus, "--out", out, "--from", f"now-{SINCE}",
             "--scrape-ms", "2000", "--width", widths, "--theme", themes, "--var", f"target={target}", "--var", f"offset={OFFSET}",
             *[os.path.join(BOARDS, name) for name in names]], capture_output=True, text=True, timeout=400)
        print(done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for name in names:
            with open(os.path.join(out, name.replace(".json", "-1600-dark.json")), encoding="utf-8") as f:
                report = json.load(f)
            empty = {p["title"] for p in report["panels"] if p["noData"]}
            self.assertLessEqual(empty, MAY_BE_DRAWN_EMPTY, name)


if __name__ == "__main__":
    unittest.main()
