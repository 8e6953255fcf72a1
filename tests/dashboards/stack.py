"""A small world for the dashboards: five simulated servers with a story, agents on a fast schedule, Prometheus with the rules.

    qwen-prod    healthy, with other users on it
    gemma-chat   full: other users wait in its queue
    llama-batch  gets a new version after a while, and is slower since
    mistral-dev  one request in five fails
    phi-edge     does not answer

The judge's windows are shortened (TOKPROBE_TEST_TIME_SCALE), so that normal is known after some minutes.
"""
import glob
import json
import os
import re
import shutil
import sys
import tempfile
import threading
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))
from support import ROOT, SIM, TOKPROBE, Program, free_port, get, post, wait_for

PROBES = """
probes:
  - name: heartbeat
    interval: 4s
    input_tokens: 100
    output_tokens: 16
    timeout: {connect: 1s, first_token: 4s, stall: 2s, total: 10s}
    objectives: {time_to_first_token: 1s, availability: 0.99}
  - name: speed
    interval: 9s
    requests: 2
    input_tokens: 1000
    output_tokens: 40
    timeout: {connect: 1s, first_token: 5s, stall: 3s, total: 15s}
    objectives: {time_to_first_token: 1s, request_tokens_per_second: 24}
  - name: load
    interval: 14s
    concurrency: [2, 4, 16]
    input_tokens: 500
    output_tokens: 30
    timeout: {connect: 1s, first_token: 10s, stall: 3s, total: 20s}
"""
SERVERS = {
    "qwen-prod": ["--ttft", "0.16", "--decode", "1:73.5,4:64,8:55,20:41", "--prefill-rate", "15000", "--model", "Qwen3-32B-FP8"],
    "gemma-chat": ["--ttft", "0.22", "--decode", "1:58,4:52,20:44", "--max-running", "10", "--usage", "never", "--model", "gemma-3-27b-it"],
    "llama-batch": ["--ttft", "0.20", "--decode", "1:62,4:55,20:38", "--prefill-rate", "12000", "--server-version", "0.10.2", "--model",
                    "Llama-3.3-70B"],
    "mistral-dev": ["--ttft", "0.12", "--decode", "1:90,4:80,20:60", "--model", "Mistral-Small-3.2", "--tokens-per-chunk", "3", "--reasoning-tokens", "6",
                    "--fault", "status,status=503,probability=0.12", "--fault", "stall,after_tokens=5,probability=0.06"],
}
UPGRADED = ["--ttft", "0.26", "--decode", "1:44,4:40,20:27", "--prefill-rate", "9000", "--server-version", "0.11.0", "--model", "Llama-3.3-70B"]
ALIKE = ["--jitter", "0.04"]
# Requests of other users that are always under way.
OTHERS = {"qwen-prod": 2, "gemma-chat": 12}
LABELS = {"qwen-prod": "{gpu: 2xA6000, precision: fp8}", "llama-batch": "{gpu: 4xH100}"}


class Users:
    """Other users of a server: so many requests at once, one after the other."""

    def __init__(self, url, count):
        self.stopped = threading.Event()
        body = json.dumps({"messages": [{"role": "user", "content": "Tell me a story"}], "max_tokens": 30}).encode()
        request = urllib.request.Request(url + "/v1/chat/completions", data=body, headers={"Content-Type": "application/json"})

        def ask():
            while not self.stopped.is_set():
                try:
                    with urllib.request.urlopen(request, timeout=30) as answer:
                        answer.read()
                except OSError:
                    self.stopped.wait(0.5)

        self.threads = [threading.Thread(target=ask, daemon=True) for _ in range(count)]
        for thread in self.threads:
            thread.start()

    def close(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join(30)


class Stack:
    """Starts all of it; close() ends it. `agents` agents watch the same servers."""

    def __init__(self, agents=1, scale=3000, scrape="2s"):
        self.folder, self.programs, self.users = tempfile.mkdtemp(prefix="tokprobe-dashboards-"), {}, []
        self.ports = {name: free_port() for name in (*SERVERS, "phi-edge")}
        try:
            for name, flags in SERVERS.items():
                self.simulator(name, flags)
            self.users = [Users(self.url(name), count) for name, count in OTHERS.items()]
            self.agents = [self.agent(number, scale) for number in range(agents)]
            self.prometheus = self.start_prometheus(scrape)
        except BaseException:
            self.close()
            raise

    def url(self, name):
        return f"http://127.0.0.1:{self.ports[name]}"

    def start(self, name, command, env=None):
        self.programs[name] = Program(command, env)
        return self.programs[name]

    def simulator(self, name, flags):
        program = self.start(name, [SIM, "--listen", f"127.0.0.1:{self.ports[name]}", *ALIKE, *flags])
        wait_for(name, lambda: re.search(r"listening on", program.output()))

    def agent(self, number, scale):
        config = os.path.join(self.folder, f"tokprobe-{number}.yml")
        with open(config, "w", encoding="utf-8") as f:
            f.write("targets:\n")
            for name in self.ports:
                f.write(f"  - {{name: {name}, url: '{self.url(name)}', labels: {LABELS.get(name, '{}')}}}\n")
            f.write(PROBES)
        port = free_port()
        self.start(f"agent-{number}", [TOKPROBE, "serve", f"--config.file={config}", f"--web.listen-address=127.0.0.1:{port}",
                                       f"--storage.path={self.folder}/state-{number}"],
                   {**os.environ, "TOKPROBE_TEST_TIME_SCALE": str(scale)})
        wait_for("the agent", lambda: isinstance(get(f"http://127.0.0.1:{port}/-/ready"), str))
        return f"127.0.0.1:{port}"

    def start_prometheus(self, scrape):
        config, port = os.path.join(self.folder, "prometheus.yml"), free_port()
        rules = sorted(glob.glob(os.path.join(ROOT, "dashboards", "rules", "*.yml")))
        with open(config, "w", encoding="utf-8") as f:
            f.write(f"global: {{scrape_interval: {scrape}, evaluation_interval: {scrape}}}\n"
                    f"rule_files: {json.dumps(rules)}\n"
                    f"scrape_configs:\n  - {{job_name: tokprobe, static_configs: [{{targets: {json.dumps(self.agents)}}}]}}\n"
                    # Another job, which is no business of ours.
                    f"  - {{job_name: prometheus, static_configs: [{{targets: ['127.0.0.1:{port}']}}]}}\n")
        self.start("prometheus", ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={self.folder}/data",
                                  f"--web.listen-address=127.0.0.1:{port}"])
        url = f"http://127.0.0.1:{port}"
        wait_for("Prometheus", lambda: isinstance(get(url + "/-/ready"), str), 30)
        return url

    def upgrade(self):
        """The server of llama-batch comes back as a new and slower version."""
        self.programs.pop("llama-batch").close()
        self.simulator("llama-batch", UPGRADED)

    def reset_faults(self, name):
        post(self.url(name) + "/sim/config", json.dumps({"faults": []}).encode())

    def close(self):
        for users in self.users:
            users.stopped.set()
        for program in self.programs.values():
            program.close()
        for users in self.users:
            users.close()
        shutil.rmtree(self.folder, ignore_errors=True)
