"""Servers that misbehave: each gives its reason within its time-out, with memory bounded, and the agent goes on."""
import os
import signal
import socket
import ssl
import subprocess
import threading
import time
import unittest

from support import (FINISH, STREAM_HEAD, TOKPROBE, EndToEnd, RawServer, chunk, get, peak_kib, samples, total, value,
                     wait_for)

EXACT = ("--api", "openai-chat", "--model", "m")


def huge_line(connection, _):
    """An SSE line of 10 MiB."""
    connection.sendall(STREAM_HEAD + b"data: {\"choices\":[{\"delta\":{\"content\":\"")
    for _ in range(160):
        connection.sendall(b"x" * 65536)
    connection.sendall(b"\"}}]}\n\n" + FINISH)


def trickle(connection, stopped):
    """A token, then a byte of the next one a second: bytes flow, events do not."""
    connection.sendall(STREAM_HEAD + chunk("a"))
    for byte in chunk("b" * 1000):
        if stopped.wait(1):
            return
        connection.sendall(bytes([byte]))


def silent(connection, stopped):
    stopped.wait(60)


def endless(connection, stopped):
    """Tokens without end, as fast as they go."""
    connection.sendall(STREAM_HEAD)
    block = chunk("x" * 1000) * 60
    while not stopped.is_set():
        connection.sendall(block)


def endless_header(connection, stopped):
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while not stopped.is_set():
        connection.sendall(b"X-Filler: " + b"y" * 1000 + b"\r\n")


def fine(connection, _):
    connection.sendall(STREAM_HEAD + chunk("one") + FINISH)


def self_signed(folder):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{folder}/key.pem", "-out",
                    f"{folder}/cert.pem", "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost,IP:127.0.0.1"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/cert.pem", f"{folder}/key.pem")
    return context


class SilentNameServer:
    """A name server on 127.0.0.99 that takes questions and never answers; `prefix` makes a program use it."""

    def __init__(self, folder):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.99", 53))
        resolv = os.path.join(folder, "resolv.conf")
        with open(resolv, "w") as f:
            f.write("nameserver 127.0.0.99\noptions timeout:30 attempts:3\n")
        self.prefix = ["unshare", "--mount", "sh", "-c", f'mount --bind {resolv} /etc/resolv.conf && exec "$@"', "sh"]

    def close(self):
        self.socket.close()


class Hostile(EndToEnd):
    def server(self, behave, context=None):
        server = RawServer(behave, context)
        self.addCleanup(server.close)
        return server

    def assert_reason(self, reason, url, *flags, within, prefix=()):
        began = time.monotonic()
        document, code = self.probe(url, *EXACT, *flags, prefix=prefix)
        took = time.monotonic() - began
        self.assertEqual((document["reason"], document["ok"], code), (reason, False, 2), document)
        self.assertLess(took, within, document)
        self.assertTrue(document["detail"])
        return document

    def test_huge_line(self):
        document = self.assert_reason("protocol_error", self.server(huge_line).url, within=5)
        self.assertIn("8 MiB", document["detail"])

    def test_trickle(self):
        document = self.assert_reason("timeout_stall", self.server(trickle).url, "--stall-timeout", "1500ms", within=4)
        self.assertEqual(document["output_tokens"], 1)
        self.assert_reason("timeout_total", self.server(trickle).url, "--timeout", "1500ms", within=4)

    def test_silence(self):
        self.assert_reason("timeout_first_token", self.server(silent).url, "--first-token-timeout", "700ms", within=3)

    def test_endless_answer(self):
        self.assert_reason("protocol_error", self.server(endless).url, "--timeout", "60s", within=30)

    def test_endless_header(self):
        self.assert_reason("protocol_error", self.server(endless_header).url, within=5)

    def test_refused(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))  # bound, but nobody listens
            self.assert_reason("connect", f"http://127.0.0.1:{s.getsockname()[1]}", within=3)

    def test_name_that_does_not_resolve(self):
        self.assert_reason("dns", "http://no-such-host.invalid", within=8)

    def test_silent_name_server(self):
        name_server = SilentNameServer(self.folder())
        self.addCleanup(name_server.close)
        self.assert_reason("dns", "http://somewhere.example", "--connect-timeout", "1s", within=3,
                           prefix=name_server.prefix)

    def test_untrusted_certificate(self):
        folder = self.folder()
        server = self.server(fine, self_signed(folder))
        self.assert_reason("tls", server.url, within=3)
        document, code = self.probe(server.url, *EXACT, "--ca-file", f"{folder}/cert.pem")
        self.assertEqual((document["reason"], code), ("ok", 0))
        self.assertIsNotNone(document["phases"]["tls"])
        document, code = self.probe(server.url, *EXACT, "--insecure")
        self.assertEqual((document["reason"], code), ("ok", 0))

    def test_silent_handshake(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        self.assert_reason("timeout_connect", f"https://127.0.0.1:{listener.getsockname()[1]}", "--connect-timeout", "1s",
                           within=3)

    def test_proxy_of_the_environment_is_not_used(self):
        server = self.server(fine)
        os.environ["http_proxy"] = "http://127.0.0.1:9"
        self.addCleanup(os.environ.pop, "http_proxy")
        document, _ = self.probe(server.url, *EXACT)
        self.assertEqual(document["reason"], "ok")

    def test_a_dead_kept_connection_is_not_asked_twice(self):
        def keep_then_drop(connection, _):
            body = chunk("one") + FINISH
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n" % len(body)
                               + body)
            connection.recv(65536)  # the second request is read and dropped without a byte
        server = self.server(keep_then_drop)
        run, code = self.probe(server.url, *EXACT, "--reuse-connections", "--requests", "2", "--prompt", "hello")
        self.assertEqual([r["reason"] for r in run["requests"]], ["ok", "connection_reset"])
        self.assertEqual((code, server.requests), (2, 1))

    def test_a_server_that_echoes_the_request_gives_no_secret_away(self):
        def echo(connection, _):
            body = b'{"error":{"message":"refused: Authorization: Bearer keykeykey, X-Team: topsecret, Basic dXNlcjpwdw=="}}'
            connection.sendall(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        key = self.file("keykeykey\n")
        document = self.assert_reason("unauthorized", self.server(echo).url, "--api-key-file", key, "--header",
                                      "X-Team: topsecret", within=3)
        self.assertIn("refused", document["detail"])
        for secret in ("keykeykey", "topsecret", "dXNlcjpwdw"):
            self.assertNotIn(secret, document["detail"])

    def test_our_own_lack_of_descriptors_is_not_the_servers_fault(self):
        server = self.server(fine)
        run, code = self.probe(server.url, *EXACT, "--concurrency", "40", "--prompt", "hello",
                               prefix=["bash", "-c", 'ulimit -n 24; exec "$@"', "bash"])
        reasons = {r["reason"] for r in run["requests"] if not r["ok"]}
        self.assertEqual((code, reasons), (2, {"internal"}), run["requests"][-1])

    def test_what_cannot_be_written_is_no_crash_and_no_success(self):
        server = self.server(fine)
        command = [TOKPROBE, "probe", server.url, *EXACT]
        with open("/dev/full", "w") as full:
            self.assertEqual(subprocess.run(command, stdout=full, stderr=subprocess.DEVNULL, timeout=20).returncode, 1)
            self.assertEqual(subprocess.run([TOKPROBE, "probe", "ftp://x"], stderr=full, timeout=20).returncode, 1)

    def test_model_name_with_quotes_and_newlines(self):
        name = 'a "quoted"\nname\\ \u00e4'
        seen = []

        def behave(connection, _):
            seen.append(1)
            fine(connection, _)
        document, _ = self.probe(self.server(behave).url, "--api", "openai-chat", "--model", name)
        self.assertEqual(document["reason"], "ok")


CONFIG = """
targets:
{targets}
probes:
  - name: p
    interval: 1s
    input_tokens: 20
    output_tokens: 4
    timeout: {{connect: 500ms, first_token: 500ms, stall: 500ms, total: 2s}}
"""


class AgentAmongHostileServers(EndToEnd):
    def test_each_gives_its_reason_and_the_agent_goes_on(self):
        folder = self.folder()
        name_server = SilentNameServer(folder)
        self.addCleanup(name_server.close)
        servers = {name: RawServer(behave) for name, behave in
                   {"protocol_error": huge_line, "timeout_stall": trickle, "timeout_first_token": silent, "ok": fine}.items()}
        servers["tls"] = RawServer(fine, self_signed(folder))
        for server in servers.values():
            self.addCleanup(server.close)
        urls = {name: server.url for name, server in servers.items()}
        urls["connect"] = "http://127.0.0.1:1"
        urls["dns"] = "http://somewhere.example"
        targets = [f"  - {{name: '{name}', url: '{url}', api: openai-chat, model: \"m \\\"q\\\"\\nn\"}}"
                   for name, url in urls.items()]
        agent, web = self.serve(CONFIG.format(targets="\n".join(targets)), prefix=name_server.prefix)

        def runs():
            page = get(web + "/metrics")
            return page if all(total(page, "tokprobe_runs_total", target=name) >= 3 for name in urls) else None
        page = wait_for("three runs of each target", runs, 60)
        for name in urls:
            attempted = total(page, "tokprobe_requests_total", target=name)
            failed = total(page, "tokprobe_request_failures_total", target=name)
            if name == "ok":
                self.assertEqual((failed, value(page, "tokprobe_success", target=name)), (0, 1), agent.output())
                continue
            mine = total(page, "tokprobe_request_failures_total", target=name, reason=name)
            self.assertEqual((mine, failed), (attempted, attempted), (name, agent.output()))
            self.assertEqual(value(page, "tokprobe_success", target=name), 0)
            self.assertIsNone(value(page, "tokprobe_run_output_tokens_per_second", target=name))
        models = {labels["model"] for n, labels, _ in samples(page) if n == "tokprobe_target_info"}
        self.assertEqual(models, {'m "q" n'})
        print(f"peak resident memory among hostile servers: {peak_kib(agent.pid) / 1024:.0f} MiB")
        self.assertLess(peak_kib(agent.pid), 128 * 1024)
        code, took = agent.stop()
        self.assertEqual(code, 0, agent.output())
        self.assertLess(took, 2)


class Stopping(EndToEnd):
    ONE = "targets: [{{name: t, url: '{url}', api: openai-chat, model: m}}]\n" \
          "probes: [{{name: p, interval: 2s, concurrency: [8], input_tokens: 20, output_tokens: 400}}]\n"

    def test_in_the_middle_of_a_run(self):
        sim = self.sim("--decode", "1:20", "--any-model")
        agent, web = self.serve(self.ONE.format(url=sim))
        wait_for("requests under way", lambda: total(get(sim + "/metrics"), "vllm:num_requests_running") or
                 "num_requests_running{model_name=\"sim-model\"} 8" in get(sim + "/metrics"), 30)
        time.sleep(0.5)
        page = get(web + "/metrics")
        code, took = agent.stop()
        self.assertEqual(code, 0, agent.output())
        self.assertLess(took, 2)
        self.assertEqual(total(page, "tokprobe_request_failures_total"), 0)
        self.assertNotIn("run failed", agent.output())
        self.assertIn("stopped", agent.output())

    def test_while_a_name_is_being_resolved(self):
        name_server = SilentNameServer(self.folder())
        self.addCleanup(name_server.close)
        config = self.ONE.format(url="http://somewhere.example") .replace("interval: 2s", "interval: 1s")
        agent, web = self.serve(config.replace("400}", "400, timeout: {connect: 60s}}"), prefix=name_server.prefix)
        time.sleep(3)  # identification and calibration are at the name by now
        code, took = agent.stop()
        self.assertEqual(code, 0, agent.output())
        self.assertLess(took, 2)
        self.assertNotIn("run failed", agent.output())

    def test_one_shot_commands_tell_the_signal(self):
        server = RawServer(silent)
        self.addCleanup(server.close)
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            program = self.start([TOKPROBE, "probe", server.url, *EXACT])
            wait_for("the request", lambda: server.requests > 0)
            server.requests = 0
            ended, took = program.stop(number)
            self.assertEqual(ended, code)
            self.assertLess(took, 2)


if __name__ == "__main__":
    unittest.main()
