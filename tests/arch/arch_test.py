"""The tree obeys DESIGN.md, and the checker of that would notice if it did not."""
import os
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rules  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# A small tree without a problem.
GOOD = {
    **{f"{folder}/README.md": "# it\n" for folder in rules.TOP_FOLDERS},
    "probes/base/clock.h": "#pragma once\n",
    "probes/base/clock.cc": '#include "probes/base/clock.h"\nauto t = std::chrono::steady_clock::now();\n',
    "probes/base/text.h": "#pragma once\n#include <string>\n",
    "probes/dialects/json_internal.h": "#pragma once\n#include <simdjson.h>\n",
    "probes/dialects/json.cc": '#include "probes/dialects/json_internal.h"\n#include "probes/base/text.h"\n',
    "probes/probe.h": '#pragma once\n#include "probes/base/text.h"\n',
    "monitor/config/config.h": '#pragma once\n#include "probes/base/text.h"\n',
    "monitor/metrics/state.h": '#pragma once\n#include "probes/probe.h"\n',
    "monitor/sinks/sink.cc": '#include "monitor/metrics/state.h"\n',
    "monitor/daemon/daemon.h": '#pragma once\n#include <nlohmann/json_fwd.hpp>\n',
    "monitor/daemon/daemon.cc": '// steady_clock::now() is banned\nauto s = "clock_gettime";\nclock.sleep_until(t, stop);\n',
    "monitor/cli/main.cc": '#include "monitor/daemon/daemon.h"\n#include <CLI/CLI.hpp>\n#include "revision.h"\n',
    "tests/support/fake.h": '#pragma once\n#include "probes/base/clock.h"\n',
    "tests/sim/clock.h": "#pragma once\ninline auto t = clock_gettime;\n",
    "tests/sim/main.cc": '#include "clock.h"\n#include "tests/sim/clock.h"\n',
    "tests/probes/a_test.cc": '#include "tests/support/fake.h"\n',
    "tests/lib/some.sh": "# shellcheck shell=bash\n",
    "tests/run.sh": "#!/bin/bash\nset -euo pipefail\n",
    ".ci/run": "#!/bin/bash\nset -e\n",
}

# rule, what to change in the good tree (None: delete), what the one problem must say
BAD = [
    ("include_order", {"probes/base/text.h": '#pragma once\n#include "probes/probe.h"\n'}, "text.h: includes probes/probe.h"),
    ("include_order", {"probes/base/text.h": '#pragma once\n#include <probes/probe.h>\n'}, "text.h: includes probes/probe.h"),
    ("include_order", {"probes/probe.h": '#pragma once\n  #  include "monitor/config/config.h"\n'}, "includes monitor/config"),
    ("include_order", {"monitor/web/w.cc": '#include "monitor/daemon/daemon.h"\n'}, "monitor/daemon is its peer"),
    ("include_order", {"monitor/sweep/s.cc": '#include "monitor/daemon/daemon.h"\n'}, "monitor/daemon is its peer"),
    ("include_order", {"monitor/metrics/m.cc": '#include "monitor/sinks/sink.h"\n'}, "monitor/sinks is its peer"),
    ("include_order", {"probes/checks/c.cc": '#include "probes/dialects/json_internal.h"\n'}, "probes/dialects is its peer"),
    ("include_order", {"monitor/config/c.cc": '#include "monitor/cli/options.h"\n'}, "monitor/cli is layer 8"),
    ("include_order", {"monitor/daemon/d.cc": '#include "tests/support/fake.h"\n'}, "which is a test's"),
    ("include_order", {"tests/sim/s.cc": '#include "probes/base/text.h"\n'}, "the simulator includes probes/base/text.h"),
    ("include_order", {"tests/sim/s.cc": '#include "tests/support/fake.h"\n'}, "the simulator includes tests/support"),
    ("include_order", {"tests/probes/b_test.cc": '#include "tests/sim/clock.h"\n'}, "belongs to the simulator"),
    ("include_order", {"monitor/new/n.cc": ""}, "monitor/new has no layer"),
    ("include_order", {"monitor/cli/n.cc": '#include "monitor/new/n.h"\n'}, "whose folder has no layer"),
    *[("clock_ban", {"monitor/daemon/d.cc": f"int a;\n{line};\n"}, "line 2 reads a clock or sleeps") for line in (
        "auto t = std::chrono::steady_clock::now()", "std::chrono::system_clock::now()", "time(nullptr)", "std::time( NULL )",
        "std::this_thread::sleep_for(1s)", "std::this_thread::sleep_until(t)", "usleep(3)", "::nanosleep(&t, 0)",
        "clock_gettime(CLOCK_MONOTONIC, &t)")],
    ("clock_ban", {"tests/probes/b_test.cc": "std::this_thread::sleep_for(1s);\n"}, "line 1 reads a clock or sleeps"),
    ("clock_ban", {"probes/base/text.cc": "auto q = '\"', r = R\"(\n\")\"; usleep(3);\n"}, "line 2 reads"),
    ("clock_ban", {"probes/base/text.cc": "/* a\nb */ usleep(3);\n"}, "line 2 reads"),
    *[("sizes", {path: "\n" * 401}, "401 lines") for path in (
        "probes/a.h", "monitor/cli/a.cc", "tests/a.py", "tests/a.sh", "deploy/a.sh")],
    *[("readmes", {f"{folder}/README.md": None}, "missing") for folder in rules.TOP_FOLDERS],
    ("readmes", {"tests/README.md": "\n" * 61}, "more than 60"),
    ("headers", {"tests/support/fake.h": "int once;\n"}, "no #pragma once"),
    *[("headers", {"probes/probe.h": f"#pragma once\n#include <{name}>\n"}, "belongs in .cc") for name in (
        "CLI/CLI.hpp", "nlohmann/json.hpp", "spdlog/spdlog.h", "httplib.h", "yaml-cpp/yaml.h", "simdjson.h", "curl/curl.h",
        "re2/re2.h", "prometheus/metric_family.h")],
    ("scripts", {"deploy/d.sh": "#!/bin/bash\n"}, "no set -e"),
    ("scripts", {"deploy/d.sh": "set -e\n"}, "neither #!"),
    ("scripts", {".ci/run": None}, "missing"),
]


class Tree(unittest.TestCase):
    def test_rules(self):
        self.assertGreater(len(rules.sources(ROOT)), 50)
        for rule in rules.RULES:
            with self.subTest(rule.__name__):
                problems = rule(ROOT)
                self.assertFalse(problems, "\n" + "\n".join(problems))

    def test_peers_do_not_include_each_other_both_ways(self):
        for one, other in rules.PEERS:
            self.assertEqual(rules.LAYERS[one], rules.LAYERS[other])
            self.assertNotIn((other, one), rules.PEERS)


class Checker(unittest.TestCase):
    def make(self, tree):
        root = tempfile.mkdtemp(prefix="tokprobe-arch-")
        self.addCleanup(shutil.rmtree, root)
        for path, text in tree.items():
            if text is None:
                continue
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w") as f:
                f.write(text)
            if text.startswith("#!"):
                os.chmod(os.path.join(root, path), 0o755)
        return root

    def test_good_tree_has_no_problem(self):
        root = self.make(GOOD)
        for rule in rules.RULES:
            self.assertEqual(rule(root), [], rule.__name__)

    def test_every_violation_is_caught(self):
        for rule, change, message in BAD:
            with self.subTest(rule=rule, change=change):
                root = self.make({**GOOD, **change})
                problems = getattr(rules, rule)(root)
                self.assertEqual(len(problems), 1, problems)
                self.assertIn(message, problems[0])

    def test_run_bit(self):
        root = self.make(GOOD)
        os.chmod(os.path.join(root, "tests/run.sh"), 0o644)
        self.assertEqual(rules.scripts(root), ["tests/run.sh: not executable"])


if __name__ == "__main__":
    unittest.main()
