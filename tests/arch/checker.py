"""Rules about the shape of the source tree; each returns what breaks it, as 'path: what'."""
import os
import re

# A folder and its layer (DESIGN.md). A file includes headers of its own folder and of lower layers.
LAYERS = {"probes/base": 0, "probes/transport": 1, "probes/stream": 1, "probes/dialects": 2, "probes/checks": 2,
          "probes/prompts": 2, "probes": 3, "monitor/config": 4, "monitor/report": 5, "monitor/stats": 5, "monitor/judge": 5,
          "monitor/metrics": 6, "monitor/sinks": 6, "monitor/daemon": 7, "monitor/sweep": 7, "monitor/web": 7,
          "monitor/cli": 8}
# Edges that the layers do not give, between folders of one layer.
ALLOWED = {("monitor/sinks", "monitor/metrics")}  # the metrics sink fills the metrics

CLOCKS = re.compile(r"steady_clock::now|system_clock::now|high_resolution_clock|sleep_for|sleep_until|\busleep\(|"
                    r"\bnanosleep\(|\btime\((nullptr|NULL|0)\)|clock_gettime|gettimeofday")
CLOCK_FILES = {"probes/base/clock.cc"}

HEAVY = re.compile(r"#include <(CLI/|nlohmann/|spdlog/|httplib\.h|yaml-cpp/|simdjson\.h|curl/|re2/|prometheus/)")

MAX_LINES = 400
MAX_README_LINES = 60


def files(root, tops, endings):
    for top in tops:
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders[:] = [f for f in folders if not f.startswith((".", "__"))]
            for name in sorted(names):
                if name.endswith(endings):
                    path = os.path.join(folder, name)
                    with open(path, errors="replace") as f:
                        yield os.path.relpath(path, root), f.read()


def layer_of(path):
    folder = os.path.dirname(path)
    while folder and folder not in LAYERS:
        folder = os.path.dirname(folder)
    return folder


def includes(text):
    return re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.M)


def may_include(path, header):
    if path.startswith("tests/sim/"):
        return not header.startswith(("probes/", "monitor/"))
    if path.startswith("tests/"):
        return True
    if header.startswith("tests/"):
        return False
    if not header.startswith(("probes/", "monitor/")):
        return True  # generated, or beside the file
    here, there = layer_of(path), layer_of(header)
    if here == there or LAYERS[there] < LAYERS[here]:
        return True
    return (here, there) in ALLOWED and LAYERS[there] == LAYERS[here]


def layering(root):
    return [f"{path}: includes {header}" for path, text in files(root, ["probes", "monitor", "tests"], (".h", ".cc"))
            for header in includes(text) if not may_include(path, header)]


def clocks(root):
    return [f"{path}: {match.group(0)}" for path, text in files(root, ["probes", "monitor"], (".h", ".cc"))
            if path not in CLOCK_FILES for match in [CLOCKS.search(text)] if match]


def sizes(root):
    found = [f"{path}: {text.count(chr(10))} lines"
             for path, text in files(root, ["probes", "monitor", "deploy", "tests"], (".h", ".cc", ".py", ".sh"))
             if text.count("\n") > MAX_LINES]
    for top in ("probes", "monitor", "dashboards", "config", "deploy", "tests"):
        readme = os.path.join(root, top, "README.md")
        if not os.path.exists(readme):
            found.append(f"{top}: no README.md")
            continue
        with open(readme) as f:
            if f.read().count("\n") > MAX_README_LINES:
                found.append(f"{top}/README.md: more than a page")
    return found


def headers(root):
    found = []
    for path, text in files(root, ["probes", "monitor", "tests"], (".h",)):
        if "#pragma once" not in text:
            found.append(f"{path}: no #pragma once")
        if HEAVY.search(text) and not path.endswith("_internal.h") and path.startswith(("probes/", "monitor/")):
            found.append(f"{path}: a heavy header outside *_internal.h")
    return found


def scripts(root):
    found = []
    for path, text in files(root, ["deploy", "tests", ".ci"], (".sh", "run")):
        if "set -e" not in text:
            found.append(f"{path}: no set -e")
        if not os.access(os.path.join(root, path), os.X_OK):
            found.append(f"{path}: no run bit")
    return found


RULES = (layering, clocks, sizes, headers, scripts)
