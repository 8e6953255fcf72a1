"""The rules of DESIGN.md that a machine can check. Each rule is a function: root folder -> list of problems.

A problem is one line, `file: what is wrong`. The tables at the top are the rules; change them only together with DESIGN.md.
"""
import os
import re

# A file includes its own folder and those of lower layers.
LAYERS = {
    "probes/base": 0,
    "probes/transport": 1, "probes/stream": 1,
    "probes/dialects": 2, "probes/checks": 2, "probes/prompts": 2,
    "probes": 3,
    "monitor/config": 4,
    "monitor/report": 5, "monitor/stats": 5, "monitor/judge": 5,
    "monitor/sinks": 6, "monitor/metrics": 6,
    "monitor/daemon": 7, "monitor/sweep": 7, "monitor/web": 7,
    "monitor/cli": 8,
}
# Folders of one layer do not include each other, but for these (never the other way round as well).
PEERS = {("monitor/sinks", "monitor/metrics")}
# Made by the build.
GENERATED = {"revision.h"}

# The simulator is a program of its own with a clock of its own: it may share nothing with what it is an oracle for.
SIMULATOR = "tests/sim"

CLOCK_FILE = "probes/base/clock.cc"
CLOCK = re.compile(r"steady_clock::now|system_clock::now|high_resolution_clock|\bsleep_for\b|\bsleep_until\s*\(|\busleep\s*\(|"
                   r"\bnanosleep\s*\(|\btime\s*\(\s*(?:nullptr|NULL|0)\s*\)|\bclock_gettime\b|\bgettimeofday\b")
# Clock::sleep_until is the one way to sleep; calling it on a clock is what all others do.
CLOCK_CALL = re.compile(r"(?:\.|->)\s*sleep_until\s*\(|\bsleep_until\s*\([^()]*\bstop_token\b")

# Slow to compile: a header of the program that includes one makes every file that includes it slow.
HEAVY = re.compile(r"CLI/|nlohmann/json\.hpp|spdlog/|httplib\.h|yaml-cpp/|simdjson\.h|curl/curl\.h|re2/|prometheus/")
MAX_LINES = 400
MAX_README_LINES = 60
TOP_FOLDERS = ("config", "dashboards", "deploy", "monitor", "probes", "tests")
SOURCES = (".h", ".cc")


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def files(root, folders, endings):
    """Paths relative to the root, sorted."""
    found = []
    for folder in folders:
        for here, below, names in os.walk(os.path.join(root, folder)):
            below[:] = [name for name in below if name not in ("__pycache__", "node_modules")]
            found += [os.path.relpath(os.path.join(here, name), root) for name in names if name.endswith(endings)]
    return sorted(found)


def sources(root):
    return files(root, ("probes", "monitor", "tests"), SOURCES)


def code(text):
    """Without comments and without the content of string literals; the lines stay where they are."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'', re.S)
    return pattern.sub(lambda m: "\n" * m[0].count("\n") if m[0][0] == "/" else '""' + "\n" * m[0].count("\n"), text)


def includes(text):
    return re.findall(r'^[ \t]*#[ \t]*include[ \t]+["<]([^">]+)[">]', text, re.M)


def is_below(path, folder):
    return path == folder or path.startswith(folder + "/")


def project_includes(root, path):
    """(included file, its folder) for each include of a file of the project."""
    for name in includes(read(root, path)):
        beside = os.path.join(os.path.dirname(path), name)
        if name in GENERATED:
            continue
        if os.path.exists(os.path.join(root, beside)):
            yield beside, os.path.dirname(beside)
        elif any(is_below(name, top) for top in TOP_FOLDERS):
            yield name, os.path.dirname(name)


def include_problem(path, included, target):
    """What is wrong with one include, or None."""
    folder = os.path.dirname(path)
    if is_below(folder, SIMULATOR):
        return None if is_below(target, SIMULATOR) else f"the simulator includes {included}"
    if is_below(folder, "tests"):
        return f"{included} belongs to the simulator" if is_below(target, SIMULATOR) else None
    if is_below(target, "tests"):
        return f"includes {included}, which is a test's"
    if target not in LAYERS:
        return f"includes {included}, whose folder has no layer"
    mine, theirs = LAYERS[folder], LAYERS[target]
    if folder == target or theirs < mine or (folder, target) in PEERS:
        return None
    return f"includes {included}: {folder} is layer {mine}, {target} is " + (
        "its peer" if theirs == mine else f"layer {theirs}")


def include_order(root):
    problems = []
    for path in sources(root):
        folder = os.path.dirname(path)
        if not is_below(folder, "tests") and folder not in LAYERS:
            problems.append(f"{path}: {folder} has no layer")
            continue
        found = (include_problem(path, *include) for include in project_includes(root, path))
        problems += [f"{path}: {problem}" for problem in found if problem]
    return problems


def clock_ban(root):
    problems = []
    for path in sources(root):
        if path == CLOCK_FILE or is_below(path, SIMULATOR):
            continue
        for number, line in enumerate(code(read(root, path)).split("\n"), 1):
            match = CLOCK.search(CLOCK_CALL.sub("", line))
            if match:
                problems.append(f"{path}: line {number} reads a clock or sleeps: {match[0]}")
    return problems


def sizes(root):
    problems = []
    for path in files(root, TOP_FOLDERS, SOURCES + (".py", ".sh")):
        lines = read(root, path).count("\n")
        if lines > MAX_LINES:
            problems.append(f"{path}: {lines} lines, more than {MAX_LINES}")
    return problems


def readmes(root):
    problems = []
    for folder in TOP_FOLDERS:
        path = f"{folder}/README.md"
        if not os.path.exists(os.path.join(root, path)):
            problems.append(f"{path}: missing")
        elif read(root, path).count("\n") > MAX_README_LINES:
            problems.append(f"{path}: more than {MAX_README_LINES} lines")
    return problems


def headers(root):
    problems = []
    for path in files(root, ("probes", "monitor", "tests"), (".h",)):
        text = read(root, path)
        if not re.search(r"^#pragma once$", text, re.M):
            problems.append(f"{path}: no #pragma once")
        if path.endswith("_internal.h") or is_below(path, "tests"):
            continue
        problems += [f"{path}: includes {name}, which belongs in .cc files or *_internal.h"
                     for name in includes(text) if HEAVY.match(name)]
    return problems


def scripts(root):
    """Run scripts end at the first error and can be run; a file without #! is there to be sourced."""
    problems = []
    for path in files(root, TOP_FOLDERS, (".sh",)) + [".ci/run"]:
        full = os.path.join(root, path)
        if not os.path.exists(full):
            problems.append(f"{path}: missing")
            continue
        text = read(root, path)
        if not text.startswith("#!"):
            if not text.startswith("# shellcheck shell="):
                problems.append(f"{path}: neither #! nor, for a file to be sourced, # shellcheck shell=")
            continue
        if not re.search(r"^set -e", text, re.M):
            problems.append(f"{path}: no set -e")
        if not os.access(full, os.X_OK):
            problems.append(f"{path}: not executable")
    return problems


RULES = (include_order, clock_ban, sizes, readmes, headers, scripts)
