"""The rule files: what promtool says of them, in the Prometheus of Debian 12 and in version 3, and that all they name exists."""
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FOLDER = os.path.join(ROOT, "dashboards", "rules")
GENERATE = os.path.join(FOLDER, "generate.py")
sys.path += [HERE, FOLDER]

import cases  # noqa: E402
import cases_agent  # noqa: E402
import cases_speed  # noqa: E402
import cases_target  # noqa: E402
import generate  # noqa: E402
import names_test  # noqa: E402
import world  # noqa: E402
from promql import Language  # noqa: E402

FILES = [os.path.join(FOLDER, name) for name in generate.FILES]
GROUPS = [group for _, groups in generate.FILES.values() for group in groups(Language())]
RULES = [rule for group in GROUPS for rule in group.rules]
ALERTS = [rule for rule in RULES if rule.severity]
NAMES = sorted({rule.name for rule in ALERTS})
SUMMARIES = {(rule.name, rule.severity): rule.summary for rule in ALERTS}
ALL_CASES = (*cases_speed.CASES, *cases_target.CASES, *cases_agent.CASES)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def promtools():
    """Debian 12's and a newer one."""
    newer = run(os.path.join(HERE, "setup.sh"))
    if newer.returncode != 0:
        raise AssertionError(newer.stderr)
    return {run(path, "--version").stdout.split()[2].rstrip(","): path for path in ("promtool", newer.stdout.strip())}


class Promtool(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tools = promtools()

    def each(self, *arguments):
        """Every promtool is content with this; they run side by side."""
        with concurrent.futures.ThreadPoolExecutor() as pool:
            jobs = {version: pool.submit(run, path, *arguments) for version, path in self.tools.items()}
        for version, job in jobs.items():
            done = job.result()
            self.assertEqual(done.returncode, 0, f"promtool {version}: {done.stdout}{done.stderr}")

    def generated(self, *arguments):
        folder = tempfile.TemporaryDirectory(prefix="tokprobe-rules-")
        self.addCleanup(folder.cleanup)
        done = run(GENERATE, "--output", folder.name, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [os.path.join(folder.name, name) for name in generate.FILES]

    def test_two_versions_are_tried(self):
        self.assertEqual(sorted(int(version.split(".")[0]) for version in self.tools), [2, 3], self.tools)

    def test_files_are_sound(self):
        self.each("check", "rules", "--lint-fatal", *FILES)

    def test_time_scale_and_selector_give_sound_files(self):
        self.each("check", "rules", "--lint-fatal", *self.generated("--time-scale", "60", "--selector", 'job="mine"'))
        self.each("check", "rules", "--lint-fatal", *self.generated("--time-scale", "7.3"))

    def promtool_tests(self, tests, every):
        """Whatever promtool says of these tests, in one file with all rules."""
        with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
            json.dump({"rule_files": FILES, "evaluation_interval": f"{every}m", "group_eval_order": [g.name for g in GROUPS],
                       "tests": tests}, f)
            f.flush()
            self.each("test", "rules", f.name)

    def test_each_alert_fires_when_it_should_and_only_then(self):
        for every in sorted({case.every for case in ALL_CASES}):
            self.promtool_tests([test for case in ALL_CASES if case.every == every
                                 for test in cases.tests_of(case, NAMES, SUMMARIES)], every)

    def test_nothing_fires_while_all_is_well(self):
        """Three hours with a probe a minute, one in five minutes and one an hour, seen by two agents."""
        minutes, goals = 180, (("availability", 0.99), ("time_to_first_token", 2))
        probes = {"heartbeat": (60, 45, 1), "speed": (300, 120, 0.4), "load": (3600, 600, 16 / 60)}
        seen = [(world.healthy(minutes, *figures, goals), dict(cases.PLACE, probe=probe, instance=instance))
                for probe, figures in probes.items() for instance in ("one:18838", "two:18838")]
        self.promtool_tests([{
            "name": "healthy", "interval": "1m", "input_series": cases.input_series(seen),
            "alert_rule_test": [{"eval_time": f"{at}m", "alertname": name, "exp_alerts": []} for name in NAMES for at in (10, 60, 179)],
            "promql_expr_test": [{"expr": 'count(ALERTS) or vector(0)', "eval_time": "179m", "exp_samples": [{"labels": "{}", "value": 0}]}],
        }], 1)

    def test_two_agents_watch_one_target(self):
        """What one of them sees is told of that one only, and no query fails for the other's sake."""
        down = "0x8 1 2 3 4 5x10"
        slow = {world.ratio("throughput", "recent"): "0.8x20"}
        failing = {"consecutive_failures": down, world.failures("http_5xx"): down}
        seen = [({**world.healthy(20), **slow, **failing}, dict(cases.PLACE, instance="one:18838")),
                ({**world.healthy(20), **slow}, dict(cases.PLACE, instance="two:18838"))]
        self.promtool_tests([{
            "name": "two agents", "interval": "1m", "input_series": cases.input_series(seen), "promql_expr_test": [
                {"expr": f'count by (instance, severity) (ALERTS{{alertname="{name}",alertstate="firing"}})', "eval_time": "14m",
                 "exp_samples": [{"labels": f'{{instance="{instance}:18838", severity="{severity}"}}', "value": 1}
                                 for instance, severity in found]}
                for name, found in (("TokprobeProbeFailing", (("one", "critical"), ("one", "warning"))),
                                    ("TokprobeThroughputDrop", (("one", "warning"), ("two", "warning"))))]}], 1)

    def test_an_alert_outlives_a_ratio_that_swings_around_the_threshold(self):
        swinging = {world.ratio("throughput", "recent"): "0.87x9 " + "0.89x4 0.87x4 " * 6}
        self.promtool_tests([{
            "name": "swinging", "interval": "1m", "input_series": cases.input_series([({**world.healthy(70), **swinging}, cases.PLACE)]),
            "promql_expr_test": [{"expr": 'count_over_time(ALERTS{alertname="TokprobeThroughputDrop",alertstate="firing"}[54m30s])',
                                  "eval_time": "65m", "exp_samples": [{"labels": "{" + ",".join(f'{k}="{v}"' for k, v in dict(
                                      cases.PLACE, alertname="TokprobeThroughputDrop", alertstate="firing", measure="throughput",
                                      window="recent", severity="warning").items()) + "}", "value": 55}]}]}], 1)


class Files(unittest.TestCase):
    def test_committed_files_are_what_the_generator_writes(self):
        done = run(GENERATE, "--check")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(os.path.basename(path) for path in glob.glob(os.path.join(FOLDER, "*.yml"))), sorted(generate.FILES))

    def test_every_alert_has_a_case(self):
        def kind(labels):
            return labels.get("window") if labels.get("window") in world.WINDOWS else None
        cased = {(case.name, case.severity, kind(case.extra)) for case in ALL_CASES}
        cased |= {(case.name, "warning", kind(case.extra)) for case in ALL_CASES if case.twin}
        self.assertEqual(cased, {(rule.name, rule.severity, kind(rule.labels)) for rule in ALERTS})
        for case in ALL_CASES:
            self.assertTrue(case.quiet and case.absent, case.name)

    def test_alerts_are_written_as_they_should_be(self):
        for rule in ALERTS:
            with self.subTest(alert=rule.name):
                self.assertRegex(rule.name, r"^Tokprobe([A-Z][a-z]+)+$")
                self.assertIn(rule.severity, ("critical", "warning", "info"))
                self.assertRegex(rule.summary, r"^[A-Z][^{}]*\.$")
                self.assertIn("{{", rule.description + " {{" * (rule.name == "TokprobeAgentAbsent"))
                self.assertTrue(rule.name.startswith("TokprobeAgent") or "instance" in rule.description)

    def test_every_alert_about_a_target_respects_maintenance(self):
        agent = {"TokprobeAgentDown", "TokprobeAgentAbsent", "TokprobeClientLimited", "TokprobeConfigReloadFailed"}
        without = {rule.name for rule in ALERTS if "tokprobe_maintenance" not in rule.expr}
        # AgentIsolated counts recorded targets, and those in maintenance are left out there.
        self.assertEqual(without, agent | {"TokprobeAgentIsolated"})
        self.assertIn("tokprobe_maintenance", next(rule.expr for rule in RULES if rule.name.endswith(":unreachable")))

    def test_every_alert_has_its_part_in_the_runbook(self):
        with open(os.path.join(ROOT, "dashboards", "RUNBOOK.md")) as f:
            text = f.read()
        self.assertEqual(sorted(re.findall(r"^#+ (Tokprobe\w+)$", text, re.M)), NAMES)

    def test_panels_of_the_runbook_exist(self):
        with open(os.path.join(ROOT, "dashboards", "RUNBOOK.md")) as f:
            text = f.read()
        for dashboard, panels in re.findall(r"\*(Target|Agent)\*, panels? ((?:\*[^*\n]+\*(?:, | and )?)+)", text):
            with open(os.path.join(ROOT, "dashboards", f"{dashboard.lower()}.json")) as f:
                titles = set(re.findall(r'"title": "([^"]*)"', f.read()))
            self.assertEqual(set(re.findall(r"\*([^*]+)\*", panels)) - titles, set())

    def test_alertmanager_example_is_sound(self):
        done = run("amtool", "check-config", os.path.join(ROOT, "deploy", "alertmanager.yml"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(os.path.join(ROOT, "deploy", "alertmanager.yml")) as f:
            named = re.findall(r'alertname[!=~]+"([^"]+)"', f.read())
        for pattern in named:
            self.assertTrue(any(re.fullmatch(pattern, name) for name in NAMES), f"no alert is called {pattern}")

    def test_time_scale_divides_durations_but_not_to_nothing(self):
        drill = Language(scale=60)
        self.assertEqual([drill.window("30m"), drill.window("3d"), drill.window("5m"), drill.window("1m")], ["30s", "72m", "5s", "5s"])
        self.assertEqual([drill.duration("5m"), drill.duration("1m"), drill.duration("15m")], ["5s", "1s", "15s"])
        self.assertEqual(drill.number_of_seconds("5m"), "5")
        self.assertEqual([Language().window("30m"), Language().duration("1h")], ["30m", "1h"])

    def test_selector_is_in_every_selector(self):
        mine = [rule for _, groups in generate.FILES.values() for group in groups(Language('job="mine"')) for rule in group.rules]
        for rule in mine:
            bare = [name for name, inside in names_test.selectors(rule.expr) if 'job="mine"' not in inside]
            self.assertEqual(bare, [], rule.expr)


if __name__ == "__main__":
    unittest.main()
