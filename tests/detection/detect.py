#!/usr/bin/env python3
"""How soon the shipped alerts see a slower server, and how often they cry wolf.

A model of a busy production server (model.py) is probed once a minute; the agent's own judge (judge_replay) judges the runs;
the shipped rules are evaluated over its ratios by promtool; this prints when they fired, beside a naive rule (the median of 30
minutes below the same share of the last day's).

  detect.py [--seeds 1,2,..] [--jobs 2] [--promtool FILE]   all of it: some minutes a seed on one core
  detect.py --quick                                          one seed, fewer cases

Exit 1 when a bound (see report) is missed. Needs build/release/bin/judge_replay.
"""
import argparse
import concurrent.futures
import os
import re
import statistics
import subprocess
import sys
import tempfile
from typing import NamedTuple

import model

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REPLAY = os.path.join(ROOT, "build/release/bin/judge_replay")
RULES = os.path.join(ROOT, "dashboards/rules/tokprobe-regression.yml")
DAY, HOUR = 1440, 60  # minutes
WARM_UP = 8 * DAY  # the judge has a week of reference
LATER = "20 % slower for 14 days"
HOURS = (0, 3, 6, 9, 12, 15, 18, 21)
TUESDAY, SATURDAY = 8 * DAY, 12 * DAY
MEASURES, WINDOWS = ("throughput", "ttft", "tpot"), ("recent", "trend", "month")
FAMILY = 'alertname=~"TokprobeThroughputDrop|TokprobeTtftRegression|TokprobeTpotRegression",alertstate="firing"'


class Case(NamedTuple):
    kind: str  # row of the table
    name: str
    at: int  # the disturbance begins, minutes
    after: int  # until when it is watched, minutes after that
    drop: float = 0.0
    rot: float = 0.0
    load: bool = True
    before: int = 2 * HOUR  # since when it is watched, minutes before; negative: after


def cases(quick):
    """Groups of cases that begin and end alike: one run of promtool each."""
    hours = (3, 15) if quick else HOURS
    undisturbed = (10 if quick else 30) * DAY
    long = [Case("undisturbed", "undisturbed", WARM_UP, undisturbed, before=DAY),
            Case("undisturbed, no load", "undisturbed-noload", WARM_UP, undisturbed, load=False, before=DAY),
            Case("rot 1 % a day", "rot", 10 * DAY, 13 * DAY, rot=0.01, before=DAY)]
    short, later = [], []
    for day, of in ((TUESDAY, "weekday"), (SATURDAY, "weekend")):
        for hour in hours:
            at = day + hour * HOUR
            short.append(Case("20 % slower", f"d20-{of}-{hour}", at, DAY, drop=0.20))
            short.append(Case("30 % slower", f"d30-{of}-{hour}", at, DAY, drop=0.30))
            short.append(Case("10 % slower", f"d10-{of}-{hour}", at, DAY, drop=0.10))
            if of == "weekday":
                short.append(Case("20 % slower, no load", f"d20-noload-{hour}", at, DAY, drop=0.20, load=False))
            later.append(Case(LATER, f"later-{of}-{hour}", at, 14 * DAY, drop=0.20, before=12 * HOUR - 14 * DAY))
    return [long, short, later]


def replay(seed, case):
    """The judge's ratios and what was measured, one row a minute."""
    lines, speeds = [], []
    for minute, speed, ttft, running, waiting, success in model.rows(
            seed, (case.at + case.after) // DAY + 1, case.drop, case.at, None, case.rot):
        if minute >= case.at + case.after:
            break
        speeds.append(speed)
        load = (running, waiting) if case.load else ("", "")
        lines.append(f"{minute},{speed:.2f},{ttft:.4f},{load[0]},{load[1]},{success}")
    done = subprocess.run([REPLAY], input="\n".join(lines), capture_output=True, text=True, check=True)
    rows = [line.split(",") for line in done.stdout.splitlines()]
    return rows[case.at - case.before:], speeds[case.at - case.before:]


def series(case, name, labels, values):
    of = ",".join(f'{k}="{v}"' for k, v in
                  {"job": "tokprobe", "instance": "a", "target": case.name, "probe": "speed", **labels}.items())
    return f"      - series: '{name}{{{of}}}'\n        values: '{values}'\n"


def input_series(seed, case):
    rows, speeds = replay(seed, case)
    level = {"concurrency": "1"}
    text = ""
    for w, window in enumerate(WINDOWS):
        for m, measure in enumerate(MEASURES):
            values = " ".join(row[2 + 3 * w + m] or "_" for row in rows)
            text += series(case, "tokprobe_speed_ratio", {**level, "measure": measure, "window": window}, values)
    if case.kind == "undisturbed":
        text += series(case, "tokprobe_run_output_tokens_per_second", level, " ".join(f"{s:.2f}" for s in speeds))
    return text


def promtool_file(seed, group):
    """A unit test whose expectations are wrong on purpose: promtool prints what it found instead."""
    naive = group[0].kind == "undisturbed"
    last = max(case.before + case.after for case in group) - 1
    asked = "".join(f"      - expr: '{e}'\n        eval_time: {last}m\n        exp_samples: [{{labels: none, value: 0}}]\n"
                    for name in (list(NAMES) if naive else ["shipped"])
                    for e in (f"({name}_first - {group[0].before * 60}) / 60", f"{name}_alarms", f"{name}_alarm"))
    return (f"rule_files: [rules.yml, measure.yml]\nevaluation_interval: 1m\ntests:\n  - interval: 1m\n    input_series:\n"
            f"{''.join(input_series(seed, case) for case in group)}    promql_expr_test:\n{asked}")


# What fires, noted at every minute, so that one number each tells it at the end.
NAMES = {"shipped": FAMILY, "naive": 'alertname="Naive",alertstate="firing"'}
MEASURING = """groups:
  - name: naive
    rules:
      - alert: Naive
        expr: >-
          quantile_over_time(0.5, tokprobe_run_output_tokens_per_second[30m])
          < 0.88 * quantile_over_time(0.5, tokprobe_run_output_tokens_per_second[1d])
        for: 5m
  - name: measuring
    rules:
""" + "".join(f"""      - record: {name}_alarm
        expr: count by (target) (ALERTS{{{of}}})
      - record: {name}_first
        expr: {name}_first or ({name}_alarm * 0 + time() >= BEFORE)
      - record: {name}_begins
        expr: ({name}_alarm unless {name}_alarm offset 1m) * 0 + 1
      - record: {name}_alarms
        expr: ({name}_alarms + {name}_begins) or {name}_alarms or {name}_begins
""" for name, of in NAMES.items())


def shipped_rules():
    """Without the texts, which promtool would fill in at every minute of every alarm."""
    with open(RULES, encoding="utf-8") as f:
        return re.sub(r"^        annotations:\n(?:          .*\n|\n(?=          ))+", "", f.read(), flags=re.M)


class Found(NamedTuple):
    first: float | None  # minutes after the disturbance
    alarms: int
    at_the_end: bool


def found(said, first, target):
    """From promtool's words: three answers from number `first` on, each a list of {labels} value."""
    numbers = []
    for block in said.split("expr:")[1 + first:4 + first]:
        got = re.search(r'target="' + target + r'"[^}]*\} ([-+.E0-9]+)', block.split("got:", 1)[1])
        numbers.append(float(got[1]) if got else None)
    return Found(numbers[0], int(numbers[1] or 0), numbers[2] is not None)


def judge(task):
    """One seed, the cases of one kind: [(case, what the shipped rules did, what the naive one did)]."""
    seed, group, promtool = task
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("rules.yml", shipped_rules()), ("measure.yml", MEASURING.replace("BEFORE", str(group[0].before * 60))), ("case.yml", promtool_file(seed, group))):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        done = subprocess.run([promtool, "test", "rules", "case.yml"], cwd=folder, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    naive = group[0].kind == "undisturbed"
    if said.count("got:") != (6 if naive else 3):
        raise RuntimeError(f"promtool did not answer:\n{said[:2000]}")
    return [(seed, case, found(said, 0, case.name), found(said, 3, case.name) if case.kind == "undisturbed" else None) for case in group]


def report(results):
    """Prints the table; the bounds that were missed."""
    missed = []

    def row(kind, text, bad):
        print(f"{kind:<24}{text}{'   MISSED' if bad else ''}", flush=True)
        missed.extend([kind] if bad else [])
    for kind in dict.fromkeys(case.kind for _, case, _, _ in results):
        mine = [(case, f, n) for _, case, f, n in results if case.kind == kind]
        firsts = [f.first if f.first is not None else float("inf") for _, f, _ in mine]
        if kind.startswith("undisturbed"):
            days = sum(case.after for case, _, _ in mine) // DAY
            alarms = sum(f.alarms for _, f, _ in mine)
            naive = [n.alarms for _, _, n in mine if n]
            beside = f"; the naive rule: {sum(naive)}" if naive else ""
            row(kind, f"{alarms} false alarms in {days} days{beside}", alarms > 0)
        elif kind == LATER:
            still = sum(f.at_the_end for _, f, _ in mine)
            row(kind, f"{still} of {len(mine)} still firing", still < len(mine))
        elif kind.startswith("rot"):
            reached = [100 * (1 - 0.99 ** (first / DAY)) for first in firsts]
            row(kind, f"seen at {max(reached):.1f} % at the latest ({len(mine)} cases)", max(reached) >= 12)
        else:
            middle, worst = statistics.median(firsts), max(firsts)
            limit = {"20 % slower": (35, 35), "30 % slower": (30, 30), "10 % slower": (210, 720),
                     "20 % slower, no load": (60, 60)}[kind]
            row(kind, f"seen after {middle:.0f} min (median), {worst:.0f} (worst of {len(mine)})",
                middle > limit[0] or worst > limit[1])
    return missed


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seeds", default="1,2,3,4,5,6,7,8")
    p.add_argument("--quick", action="store_true")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--promtool", default="promtool")
    p.add_argument("--verbose", action="store_true", help="print each case as it is done")
    a = p.parse_args()
    seeds = [1] if a.quick else [int(s) for s in a.seeds.split(",")]
    tasks = [(seed, group, a.promtool) for seed in seeds for group in cases(a.quick)]
    results = []
    with concurrent.futures.ProcessPoolExecutor(a.jobs) as pool:
        for done in pool.map(judge, tasks):
            results += done
            for seed, case, f, n in done if a.verbose else ():
                print(f"seed {seed} {case.name}: {f}{f' naive {n}' if n else ''}", file=sys.stderr, flush=True)
    order = [case.kind for group in cases(a.quick) for case in group]
    results.sort(key=lambda r: order.index(r[1].kind))
    missed = report(results)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
