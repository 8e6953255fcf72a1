"""The agent as it runs in production: a real Prometheus scrapes it and its figures agree with the server's own."""
import os
import re
import subprocess
import time
import unittest

from support import (TOKPROBE, EndToEnd, cpu_seconds, get, get_json, query, resident_kib, total, value, wait_for)

CONFIG = """
targets:
  - name: sim
    url: {url}
    labels: {{gpu: none, team: search}}
series_labels: [team]
probes:
  - {{name: heartbeat, interval: 2s, input_tokens: 100, output_tokens: 16}}
  - name: speed
    interval: 4s
    concurrency: [1, 4]
    requests: 4
    input_tokens: 1000
    output_tokens: 50
    objectives: {{time_to_first_token: 2s, availability: 0.995}}
"""


class Serve(EndToEnd):
    def test_prometheus_scrapes_figures_that_agree_with_the_server(self):
        sim = self.sim("--ttft", "0.1", "--decode", "1:100,4:80")
        agent, web = self.serve(CONFIG.format(url=sim))
        prometheus = self.prometheus([web.removeprefix("http://")])
        wait_for("four runs in Prometheus", lambda: any(
            v >= 4 for _, v in query(prometheus, 'tokprobe_runs_total{probe="speed",concurrency="4"}')), 60)
        up = query(prometheus, "up")
        self.assertEqual([v for _, v in up], [1])
        speed = {labels["concurrency"]: (labels, v) for labels, v in query(
            prometheus, 'tokprobe_run_output_tokens_per_second{probe="speed"}')}
        # 50 tokens in 0.1 s + 49 / 100 s, one after the other; four at once at 80 tokens/s each.
        self.assertAlmostEqual(speed["1"][1] / (50 / (0.1 + 49 / 100)), 1, delta=0.03)
        self.assertAlmostEqual(speed["4"][1] / (4 * 50 / (0.1 + 49 / 80)), 1, delta=0.03)
        self.assertEqual(speed["1"][0]["team"], "search")
        self.assertEqual([v for _, v in query(prometheus, "sum(tokprobe_request_failures_total)")], [0])
        joined = query(prometheus, 'tokprobe_success * on (job, instance, target) group_left (gpu, model) tokprobe_target_info')
        self.assertEqual({(labels["gpu"], labels["model"], v) for labels, v in joined}, {("none", "sim-model", 1.0)})

        code, _ = agent.stop()
        self.assertEqual(code, 0, agent.output())
        self.assertNotIn("run failed", agent.output())
        self.assertGreaterEqual(len(re.findall('msg="run ok" target=sim', agent.output())), 8)

    def test_counts_are_the_servers_own(self):
        sim = self.sim("--ttft", "0.02", "--decode", "1:400")
        _, web = self.serve(CONFIG.format(url=sim))
        wait_for("runs", lambda: total(get(web + "/metrics"), "tokprobe_runs_total", probe="speed") >= 4, 30)

        def settled():  # no request between the two readings
            before = get(web + "/metrics")
            truth = get_json(sim + "/sim/requests")
            ended = [entry for entry in truth if entry["ended"]]
            same = get(web + "/metrics")
            counted = total(before, "tokprobe_requests_total")
            return (before, ended) if counted == total(same, "tokprobe_requests_total") == len(truth) else None
        page, truth = wait_for("a quiet moment", settled, 20)
        self.assertEqual(total(page, "tokprobe_requests_total"), len(truth))
        self.assertEqual(total(page, "tokprobe_output_tokens_total"), sum(e["output_tokens"] for e in truth))
        self.assertEqual(total(page, "tokprobe_prompt_tokens_total"), sum(e["prompt_tokens"] for e in truth))
        for length, tolerance in ((1000, 15), (100, 3)):
            counts = [e["prompt_tokens"] for e in truth if abs(e["prompt_tokens"] - length) < length / 5]
            self.assertTrue(counts)
            self.assertLessEqual(max(abs(c - length) for c in counts[1:]), tolerance, counts)

    def test_promtool_accepts_the_page(self):
        _, web = self.serve(CONFIG.format(url=self.sim("--ttft", "0.02", "--decode", "1:400")))
        wait_for("runs", lambda: total(get(web + "/metrics"), "tokprobe_runs_total", probe="speed") >= 2, 30)
        done = subprocess.run(["promtool", "check", "metrics"], input=get(web + "/metrics"), text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_restart_keeps_what_was_learned(self):
        sim, storage = self.sim("--ttft", "0.02", "--decode", "1:400"), self.folder()
        config = CONFIG.format(url=sim).replace("interval: 4s", "interval: 1h").replace("interval: 2s", "interval: 1h")
        agent, web = self.serve(config, f"--storage.path={storage}")
        wait_for("runs", lambda: total(get(web + "/metrics"), "tokprobe_runs_total") >= 3, 40)
        self.assertEqual(agent.stop()[0], 0)
        first = len(get_json(sim + "/sim/requests"))
        agent, web = self.serve(config, f"--storage.path={storage}")
        time.sleep(12)  # an agent without a memory starts its probes within ten seconds
        self.assertEqual(len(get_json(sim + "/sim/requests")), first, "probes of the last hour are not made again")
        second, _ = self.serve(config, f"--storage.path={storage}", wait=False)
        self.assertEqual(second.process.wait(10), 1)
        self.assertIn("in use by another tokprobe", second.output())

    def test_full_disk_is_reported_and_probing_goes_on(self):
        sim, folder = self.sim("--ttft", "0.02", "--decode", "1:400"), self.folder()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], check=True)
        self.addCleanup(subprocess.run, ["umount", folder], check=True)
        agent, web = self.serve(CONFIG.format(url=sim), f"--storage.path={folder}")
        self.addCleanup(agent.stop)
        with open(os.path.join(folder, "filler"), "wb") as f:
            try:
                f.write(b"x" * 200_000)
                f.flush()
            except OSError:
                pass
        wait_for("the report", lambda: "state not saved" in agent.output(), 45)
        before = total(get(web + "/metrics"), "tokprobe_runs_total")
        wait_for("more runs", lambda: total(get(web + "/metrics"), "tokprobe_runs_total") > before, 20)

    def test_port_in_use_is_an_error(self):
        sim = self.sim()
        _, web = self.serve(CONFIG.format(url=sim))
        config = self.file(CONFIG.format(url=sim))
        done = subprocess.run([TOKPROBE, "serve", f"--config.file={config}",
                               f"--web.listen-address={web.removeprefix('http://')}"], capture_output=True, text=True, timeout=10)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Address already in use", done.stderr)


class Idle(EndToEnd):
    def test_small_and_quiet_between_runs(self):
        config = CONFIG.format(url=self.sim("--ttft", "0.02", "--decode", "1:400"))
        config = config.replace("interval: 4s", "interval: 1h").replace("interval: 2s", "interval: 1h")
        agent, web = self.serve(config)
        wait_for("the first runs", lambda: total(get(web + "/metrics"), "tokprobe_runs_total") >= 3, 40)
        time.sleep(1)
        began, used = time.monotonic(), cpu_seconds(agent.pid)
        for _ in range(10):  # scraped as by a Prometheus
            time.sleep(1)
            get(web + "/metrics")
        share = (cpu_seconds(agent.pid) - used) / (time.monotonic() - began)
        print(f"idle: {resident_kib(agent.pid) / 1024:.1f} MiB resident, {100 * share:.2f} % CPU with a scrape a second")
        self.assertLess(resident_kib(agent.pid), 25 * 1024)
        self.assertLess(share, 0.005)


if __name__ == "__main__":
    unittest.main()
