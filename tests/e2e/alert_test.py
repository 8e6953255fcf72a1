"""From a fault of a server to a message in somebody's pager: real agent, real Prometheus with the shipped rules (all durations
divided by 60), real Alertmanager with the shipped example, a webhook in this test."""
import http.server
import json
import os
import subprocess
import threading
import unittest

from support import ROOT, EndToEnd, free_port, get, get_json, post, wait_for

SCALE = 60

CONFIG = """
targets:
  - {{name: qwen, url: {url}, labels: {{team: search}}}}
series_labels: [team]
probes:
  - {{name: heartbeat, interval: 1s, input_tokens: 20, output_tokens: 8, timeout: {{total: 3s}}}}
"""


class Webhook:
    """Keeps every alert that it is told of, as (path, status, labels, annotations)."""

    def __init__(self):
        self.alerts = alerts = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                alerts.extend((self.path, a["status"], a["labels"], a["annotations"]) for a in message["alerts"])
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def find(self, name, status):
        return next(((path, labels, notes) for path, s, labels, notes in list(self.alerts)
                     if labels["alertname"] == name and s == status), None)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Alerts(EndToEnd):
    def alertmanager(self, webhook):
        with open(os.path.join(ROOT, "deploy", "alertmanager.yml")) as f:
            config = f.read().replace("http://127.0.0.1:19194", webhook)
        # Shorter, but long enough that an alert that mutes others is there before theirs are sent.
        config = config.replace("group_wait: 30s", "group_wait: 5s").replace("group_interval: 5m", "group_interval: 2s")
        port = free_port()
        self.start(["prometheus-alertmanager", f"--config.file={self.file(config, 'alertmanager.yml')}",
                    f"--storage.path={self.folder()}", f"--web.listen-address=127.0.0.1:{port}", "--cluster.listen-address="])
        wait_for("Alertmanager", lambda: isinstance(get(f"http://127.0.0.1:{port}/-/ready"), str), 30)
        return port

    def prometheus_with_rules(self, agent, alertmanager):
        rules, port = self.folder(), free_port()
        subprocess.run([os.path.join(ROOT, "dashboards", "rules", "generate.py"), "--output", rules, "--time-scale", str(SCALE)],
                       check=True, env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
        config = json.dumps({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"}, "rule_files": [f"{rules}/*.yml"],
            "alerting": {"alertmanagers": [{"static_configs": [{"targets": [f"127.0.0.1:{alertmanager}"]}]}]},
            "scrape_configs": [{"job_name": "tokprobe", "static_configs": [{"targets": [agent]}]}]})
        self.start(["prometheus", f"--config.file={self.file(config, 'prometheus.yml')}", f"--storage.tsdb.path={self.folder()}",
                    f"--web.listen-address=127.0.0.1:{port}"])
        wait_for("Prometheus", lambda: isinstance(get(f"http://127.0.0.1:{port}/-/ready"), str), 30)
        return f"http://127.0.0.1:{port}"

    def rules_are_sound(self, prometheus):
        """Every rule has been evaluated, and none of its queries failed."""
        rules = [rule for group in get_json(f"{prometheus}/api/v1/rules")["data"]["groups"] for rule in group["rules"]]
        self.assertEqual([(rule["name"], rule["lastError"]) for rule in rules if rule["health"] == "err"], [])
        return len(rules) > 50 and all(rule["health"] == "ok" for rule in rules)

    def test_a_failing_server_and_a_dead_agent_reach_the_webhook(self):
        webhook = Webhook()
        self.addCleanup(webhook.close)
        sim = self.sim("--ttft", "0.02", "--decode", "1:400")
        agent, web = self.serve(CONFIG.format(url=sim))
        instance = web.removeprefix("http://")
        prometheus = self.prometheus_with_rules(instance, self.alertmanager(webhook.url))
        wait_for("runs", lambda: 'tokprobe_success{target="qwen",team="search",probe="heartbeat",concurrency="1"} 1'
                 in get(web + "/metrics"), 20)
        wait_for("all rules", lambda: self.rules_are_sound(prometheus), 20)
        self.assertEqual(webhook.alerts, [], "all is well")

        post(sim + "/sim/config", b'{"faults": [{"kind": "status", "status": 503}]}')
        path, labels, notes = wait_for("the alert", lambda: webhook.find("TokprobeProbeFailing", "firing"), 30)
        self.assertEqual((path, labels), ("/page", {
            "alertname": "TokprobeProbeFailing", "severity": "critical", "job": "tokprobe", "instance": instance, "target": "qwen",
            "team": "search", "probe": "heartbeat", "concurrency": "1"}))
        self.assertIn("most frequent reason: http_5xx", notes["description"])
        self.assertTrue(notes["runbook_url"].endswith("/dashboards/RUNBOOK.md#tokprobeprobefailing"))

        post(sim + "/sim/config", b'{"faults": []}')
        wait_for("its end", lambda: webhook.find("TokprobeProbeFailing", "resolved"), 40)
        self.assertEqual({(path, status, labels["alertname"], labels["severity"]) for path, status, labels, _ in webhook.alerts},
                         {("/page", status, "TokprobeProbeFailing", "critical") for status in ("firing", "resolved")},
                         "nothing else was told, the muted warning neither")

        self.rules_are_sound(prometheus)

        agent.stop()
        path, labels, _ = wait_for("the alert", lambda: webhook.find("TokprobeAgentDown", "firing"), 40)
        self.assertEqual((path, labels["instance"], labels["severity"]), ("/page", instance, "critical"))
        self.assertIsNone(webhook.find("TokprobeResultsStale", "firing"))


if __name__ == "__main__":
    unittest.main()
