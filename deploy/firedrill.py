"""The fire drill itself; started by firedrill.sh, which says what it does."""
import ctypes
import http.server
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from typing import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BIN = os.environ.get("TOKPROBE_BIN_DIR", os.path.join(ROOT, "build/release/bin"))
SCALE = 60
SERVER = ["--ttft", "0.1", "--decode", "1:200"]
LEARNING = 150  # seconds: an hour is left out of the reference, so a minute here; then runs at leisure
ALERT_WITHIN = 90
LASTS, SHORT_LASTS = 12 * 60, 4 * 60

CONFIG = """
targets: [{targets}]
probes:
  - {{name: speed, interval: 2s, input_tokens: 40, output_tokens: 60, timeout: {{connect: 1s, first_token: 3s, stall: 1s, total: 5s}}}}
"""


class Fault(NamedTuple):
    target: str
    what: str
    settings: dict | None  # for POST /sim/config; None: the server is killed
    alert: str
    also: tuple  # alerts that the same fault may raise beside it


FAULTS = (
    Fault("slow", "decoding at 60 %", {"decode": "1:120"}, "TokprobeThroughputDrop", ("TokprobeTpotRegression",)),
    Fault("stalling", "silence after 10 tokens", {"faults": [{"kind": "stall", "after_tokens": 10}]}, "TokprobeStalls",
          ("TokprobeProbeFailing",)),
    Fault("dead", "killed", None, "TokprobeProbeFailing", ()),
    # Who gets the text in one piece waits for all of it.
    Fault("buffered", "a buffering proxy", {"faults": [{"kind": "buffered"}]}, "TokprobeResponseBuffered",
          ("TokprobeTtftRegression",)),
)
STEADY = "steady"


class Alerts:
    """A webhook that notes when each (alert, target) first arrived."""

    def __init__(self):
        self.first = first = {}

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                for alert in body["alerts"]:
                    labels = alert["labels"]
                    if alert["status"] == "firing":
                        first.setdefault((labels["alertname"], labels.get("target", "")), time.monotonic())
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def end_with_us():
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


class Stack:
    """Programs on loopback, each with a log in one folder; all of it goes at the end."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="tokprobe-firedrill.")
        self.programs = {}

    def path(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        return path

    def start(self, name, command, ready, **environment):
        with open(self.path(name + ".log"), "wb") as log:
            self.programs[name] = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                                   preexec_fn=end_with_us, env={**os.environ, **environment})
        for _ in range(300):
            try:
                urllib.request.urlopen(ready, timeout=2).close()
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f"{name} does not answer at {ready}:\n{self.log(name)}")

    def log(self, name):
        with open(self.path(name + ".log"), encoding="utf-8", errors="replace") as f:
            return f.read()[-1500:]

    def check(self, but=()):
        for name, program in self.programs.items():
            if name not in but and program.poll() is not None:
                raise RuntimeError(f"{name} has ended:\n{self.log(name)}")

    def stop(self):
        for program in self.programs.values():
            program.terminate()
        for program in self.programs.values():
            try:
                program.wait(10)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def start_all(stack, webhook):
    """The address of each simulated server."""
    servers = {}
    for target in [fault.target for fault in FAULTS] + [STEADY]:
        port = free_port()
        servers[target] = f"http://127.0.0.1:{port}"
        stack.start(target, [f"{BIN}/tokprobe-sim", "--listen", f"127.0.0.1:{port}", *SERVER], servers[target] + "/health")
    targets = ", ".join(f"{{name: {name}, url: '{url}'}}" for name, url in servers.items())
    agent, prometheus, alertmanager = free_port(), free_port(), free_port()
    stack.start("agent", [f"{BIN}/tokprobe", "serve", "--config.file=" + stack.path("tokprobe.yml", CONFIG.format(targets=targets)),
                          f"--web.listen-address=127.0.0.1:{agent}"], f"http://127.0.0.1:{agent}/-/ready",
                TOKPROBE_TEST_TIME_SCALE=str(SCALE))
    with open(os.path.join(ROOT, "deploy/alertmanager.yml"), encoding="utf-8") as f:
        text = f.read().replace("http://127.0.0.1:19194", webhook)
    text = text.replace("group_wait: 30s", "group_wait: 3s").replace("group_interval: 5m", "group_interval: 3s")
    stack.start("alertmanager", ["prometheus-alertmanager", "--config.file=" + stack.path("alertmanager.yml", text),
                                 "--storage.path=" + stack.path("alerts"), f"--web.listen-address=127.0.0.1:{alertmanager}",
                                 "--cluster.listen-address="], f"http://127.0.0.1:{alertmanager}/-/ready")
    subprocess.run([sys.executable, os.path.join(ROOT, "dashboards/rules/generate.py"), "--time-scale", str(SCALE),
                    "--output", stack.path("")], check=True, stdout=subprocess.DEVNULL)
    config = {"global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
              "rule_files": [stack.path("tokprobe-*.yml")],
              "alerting": {"alertmanagers": [{"static_configs": [{"targets": [f"127.0.0.1:{alertmanager}"]}]}]},
              "scrape_configs": [{"job_name": "tokprobe", "static_configs": [{"targets": [f"127.0.0.1:{agent}"]}]}]}
    stack.start("prometheus", ["prometheus", "--config.file=" + stack.path("prometheus.yml", json.dumps(config)),
                               "--storage.tsdb.path=" + stack.path("data"), f"--web.listen-address=127.0.0.1:{prometheus}"],
                f"http://127.0.0.1:{prometheus}/-/ready")
    return servers


def inject(stack, servers, fault):
    if fault.settings is None:
        stack.programs[fault.target].kill()
        stack.programs[fault.target].wait()
        return
    request = urllib.request.Request(servers[fault.target] + "/sim/config", json.dumps(fault.settings).encode())
    try:
        urllib.request.urlopen(request, timeout=5).close()
    except OSError as e:
        raise RuntimeError(f"the simulator of {fault.target} did not take its fault: {e}") from e


def wait(stack, until, done, but=()):
    while time.monotonic() < until and not done():
        stack.check(but)
        time.sleep(0.5)


def report(alerts, injected, before):
    """Prints the outcome; whether all was as it should be."""
    good = True
    print(f"\n  {'server':<10}{'fault':<26}{'alert':<28}{'after':>8}   also")
    causes = {(name, fault.target) for fault in FAULTS for name in (fault.alert, *fault.also)}
    for fault in FAULTS:
        arrived = alerts.first.get((fault.alert, fault.target))
        after = "did not" if arrived is None else f"{arrived - injected:.0f} s"
        also = [name for name, target in alerts.first if target == fault.target and name in fault.also]
        print(f"  {fault.target:<10}{fault.what:<26}{fault.alert:<28}{after:>8}   {', '.join(also)}")
        good = good and arrived is not None
    strange = sorted(key for key in alerts.first if key not in causes) + before
    print(f"  {STEADY:<10}{'none':<26}{'none':<28}")
    for name, target in strange:
        print(f"  {name} arrived for '{target}' without a cause")
    return good and not strange


def drill(lasts):
    stack, alerts = Stack(), Alerts()
    began = time.monotonic()
    try:
        print("firedrill: five simulated servers, the agent, Prometheus and Alertmanager are starting ..", flush=True)
        servers = start_all(stack, alerts.url)
        print(f"firedrill: the judge learns what is normal ({LEARNING} s) ..", flush=True)
        wait(stack, began + LEARNING, lambda: False)
        before = sorted(alerts.first)
        injected = time.monotonic()
        dead = [fault.target for fault in FAULTS if fault.settings is None]
        for fault in FAULTS:
            inject(stack, servers, fault)
        print("firedrill: four servers have a fault now; waiting for the alerts ..", flush=True)
        wait(stack, injected + ALERT_WITHIN, lambda: all((f.alert, f.target) in alerts.first for f in FAULTS), dead)
        print("firedrill: watching for alerts that have no cause ..", flush=True)
        wait(stack, began + lasts, lambda: False, dead)
        good = report(alerts, injected, before)
    finally:
        stack.stop()
    print(f"\nfiredrill: {'all as it should be' if good else 'NOT as it should be'}, after "
          f"{(time.monotonic() - began) / 60:.0f} minutes. Everything lasted a sixtieth: a second stands for a minute.")
    return 0 if good else 1


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return drill(SHORT_LASTS if "--short" in sys.argv[1:] else LASTS)
    except KeyboardInterrupt:
        return 130
    except RuntimeError as e:
        print(f"firedrill: {e}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
