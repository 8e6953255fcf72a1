"""The dashboards obey lint.py, are what their source says, and promtool accepts every query; and lint.py notices what is wrong."""
import copy
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import lint  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(HERE))
BOARDS = os.path.join(ROOT, "dashboards")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def boards():
    return {os.path.basename(path): json.loads(read(path)) for path in sorted(glob.glob(os.path.join(BOARDS, "*.json")))}


def metrics():
    return lint.exported(read(os.path.join(BOARDS, "METRICS.md")))


class Dashboards(unittest.TestCase):
    def test_they_are_what_the_source_says(self):
        folder = tempfile.mkdtemp(prefix="tokprobe-dashboards-")
        self.addCleanup(shutil.rmtree, folder)
        subprocess.run([sys.executable, os.path.join(BOARDS, "generate.py"), "--folder", folder], check=True)
        self.assertEqual(sorted(os.listdir(folder)), list(boards()))
        for name in os.listdir(folder):
            self.assertEqual(read(os.path.join(folder, name)), read(os.path.join(BOARDS, name)), f"{name}: run dashboards/generate.py")

    def test_they_obey_the_rules(self):
        found = [problem for board in boards().values() for problem in lint.problems(board, metrics())]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_their_addresses_are_fixed(self):
        self.assertEqual({board["uid"] for board in boards().values()}, lint.UIDS)

    def test_promtool_accepts_every_query(self):
        folder = tempfile.mkdtemp(prefix="tokprobe-dashboards-")
        self.addCleanup(shutil.rmtree, folder)
        files = []
        for name, board in boards().items():
            files.append(os.path.join(folder, name))
            with open(files[-1], "w", encoding="utf-8") as f:
                json.dump(lint.as_rules(board), f)
        newer = subprocess.run([os.path.join(ROOT, "tests", "rules", "setup.sh")], capture_output=True, text=True, check=True).stdout.strip()
        for promtool in ("promtool", newer):
            done = subprocess.run([promtool, "check", "rules", "--lint=none", *files], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Lint(unittest.TestCase):
    """Each thing that is spoiled in the target's dashboard is noticed."""

    def setUp(self):
        self.board = copy.deepcopy(boards()["target.json"])
        self.metrics = metrics()

    def panel(self, title):
        return next(p for p in self.board["panels"] if p["title"] == title)

    def found(self, text):
        problems = lint.problems(self.board, self.metrics)
        self.assertTrue([p for p in problems if text in p], f"no {text!r} among {problems}")

    def test_a_good_one_has_no_problem(self):
        self.assertEqual(lint.problems(self.board, self.metrics), [])

    def test_every_renamed_metric_that_a_panel_names(self):
        named = {name for board in boards().values() for _, expression, _ in lint.queries(board) for name, _ in lint.SELECTOR.findall(expression)}
        for name in sorted(named - set(lint.OF_PROMETHEUS) - set(lint.LATER)):
            less = {k: v for k, v in self.metrics.items() if k != name}
            problems = [p for board in boards().values() for p in lint.problems(board, less)]
            self.assertTrue([p for p in problems if f"no metric {name}" in p], name)

    def test_a_renamed_label(self):
        self.metrics["tokprobe_request_failures_total"] = {"target", "probe", "concurrency", "why"}
        self.found("none of its metrics has the label reason")

    def test_an_unknown_matcher(self):
        self.change("Tokens per chunk", 'probe=~"$probe"', 'profile=~"$probe"')
        self.found("has no label profile")

    def change(self, title, old, new):
        target = self.panel(title)["targets"][0]
        self.assertIn(old, target["expr"])
        target["expr"] = target["expr"].replace(old, new)

    def test_no_instance(self):
        self.change("KV cache in use", ',instance=~"$instance"', "")
        self.found('without instance=~"$instance"')

    def test_one_value_of_several(self):
        self.change("Tokens per chunk", 'probe=~"$probe"', 'probe="$probe"')
        self.found("needs =~")

    def test_a_fixed_window(self):
        self.change("Warnings", "$__rate_interval", "5m")
        self.found("the window [5m] is fixed")

    def test_a_bare_counter(self):
        self.panel("Warnings")["targets"][0]["expr"] = 'sum(tokprobe_request_warnings_total{job=~"$job",instance=~"$instance"})'
        self.found("outside of increase and rate")

    def test_a_join_that_two_agents_break(self):
        board = boards()["before-after.json"]
        self.board = json.loads(json.dumps(board).replace("on (job, instance, target)", "on (target)"))
        self.found("which two agents share")

    def test_other_jobs(self):
        self.panel("KV cache in use")["targets"][0]["expr"] = 'up{job=~"$job",instance=~"$instance"}'
        self.found("up of every job")

    def test_no_description(self):
        self.panel("Server")["description"] = "Server."
        self.found("must say in sentences")

    def test_no_unit(self):
        del self.panel("Server")["fieldConfig"]["defaults"]["unit"]
        self.found("unit None")

    def test_another_data_source(self):
        self.panel("Server")["targets"][0]["datasource"] = {"type": "prometheus", "uid": "abc"}
        self.found("another data source")

    def test_an_export(self):
        self.board["__inputs"] = []
        self.found("an export")

    def test_editable(self):
        self.board["editable"] = True
        self.found("editable is True")

    def test_a_filled_variable(self):
        self.board["templating"]["list"][1]["current"] = {"text": "a", "value": "a"}
        self.found("variable job: current is not empty")

    def test_an_overlap(self):
        self.panel("KV cache")["gridPos"]["x"] = 0
        self.found("overlaps")

    def test_a_link_to_nowhere(self):
        self.board["links"][0]["url"] = "/d/tokprobe-flet"
        self.found("leads to no dashboard")

    def test_what_comes_later_has_come(self):
        for name in lint.LATER:
            self.metrics[name] = {"target"}
        self.found("take it out of LATER")


if __name__ == "__main__":
    unittest.main()
