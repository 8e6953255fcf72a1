#!/usr/bin/env python3
"""Writes the rule files of this folder from parameters.py. Python 3.11, nothing else.

  generate.py                        writes the files beside itself
  generate.py --check                exit code 1 when they are not what would be written
  generate.py --output FOLDER        writes elsewhere, for rules of your own:
    --selector 'job="tokprobe"'        puts a matcher into every selector (default: none, every agent is meant)
    --runbook URL                      where the runbook is read
    --time-scale N                     for tests and fire drills only: every duration is divided by N
"""
import argparse
import os
import re
import sys

import alerts_agent
import alerts_speed
import alerts_target
import parameters
import recording
from promql import Language

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = """\
# {title}
#
# Written by generate.py from parameters.py: change those, not this file. Needs Prometheus 2.42 or newer.
"""
FILES = {
    "tokprobe-recording.yml": ("Counts, availability and error budgets, which the alerts use: load them with the alerts.", recording.groups),
    "tokprobe-regression.yml": ("Servers that are slower than normal. What to do: ../RUNBOOK.md", alerts_speed.regressions),
    "tokprobe-objectives.yml": ("Servers that miss their objectives. What to do: ../RUNBOOK.md", alerts_speed.objectives),
    "tokprobe-targets.yml": ("Servers that fail, and results that are in doubt or not there. What to do: ../RUNBOOK.md", alerts_target.groups),
    "tokprobe-agent.yml": ("The agent itself. What to do: ../RUNBOOK.md", alerts_agent.groups),
}


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def block(key, text, style, indent):
    """A text of several lines (|: as they are, >-: joined by spaces)."""
    pad = " " * indent
    return f"{pad}{key}: {style}\n" + "".join(f"{pad}  {line}\n" for line in text.split("\n"))


def scalar(text):
    return quoted(text) if ": " in text or " #" in text or text[0] in "{[\"'" else text


def table(key, values):
    return f"        {key}:\n" + "".join(f"          {name}: {value}\n" for name, value in values.items())


def filled(text, width=108):
    """In lines, none of which ends inside {{ }}."""
    out = [""]
    for word in re.findall(r"(?:\{\{.*?\}\}|\S)+", text):
        if out[-1] and len(out[-1]) + len(word) >= width:
            out.append("")
        out[-1] += (" " if out[-1] else "") + word
    return "\n".join(out)


def rule_text(rule, language, runbook):
    out = f"      # {rule.why}\n" if rule.why else ""
    out += f"      - {'alert' if rule.severity else 'record'}: {rule.name}\n"
    out += block("expr", rule.expr, "|", 8) if "\n" in rule.expr else f"        expr: {scalar(rule.expr)}\n"
    for key, duration in (("for", rule.wait), ("keep_firing_for", rule.keep)):
        if duration:
            out += f"        {key}: {language.duration(duration)}\n"
    labels = dict(rule.labels, **({"severity": rule.severity} if rule.severity else {}))
    if labels:
        out += table("labels", labels)
    if rule.severity:
        out += table("annotations", {"summary": scalar(rule.summary), "runbook_url": f"{runbook}#{rule.name.lower()}"})
        out += block("description", filled(rule.description), ">-", 10)
    return out


def file_text(title, groups, language, runbook):
    out = HEAD.format(title=title) + "groups:\n"
    out += "\n".join(f"  - name: {group.name}\n    interval: {language.duration(group.every)}\n    rules:\n"
                     + "\n".join(rule_text(rule, language, runbook) for rule in group.rules) for group in groups)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--output", default=HERE)
    parser.add_argument("--selector", default="")
    parser.add_argument("--runbook", default=parameters.RUNBOOK)
    parser.add_argument("--time-scale", type=float, default=1)
    arguments = parser.parse_args()
    if arguments.time_scale < 1:
        parser.error("--time-scale must be at least 1")
    language = Language(arguments.selector, arguments.time_scale)
    stale = []
    for name, (title, groups) in FILES.items():
        path = os.path.join(arguments.output, name)
        text = file_text(title, groups(language), language, arguments.runbook)
        if not arguments.check:
            os.makedirs(arguments.output, exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        elif not os.path.exists(path) or open(path, encoding="utf-8").read() != text:
            stale.append(name)
    if stale:
        print(f"not what generate.py writes: {', '.join(stale)}", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
