"""What the end-to-end tests share: programs that are always ended, loopback servers, the metrics page.

Every program is started on loopback with a free port and ended by the test that started it. The folder of the
binaries comes from TOKPROBE_BIN_DIR (default build/release/bin).
"""
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.environ.get("TOKPROBE_BIN_DIR", os.path.join(ROOT, "build", "release", "bin"))
TOKPROBE = os.path.join(BIN, "tokprobe")
SIM = os.path.join(BIN, "tokprobe-sim")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def get(url, timeout=10):
    """Body of a GET as text; an HTTP error is returned as its status."""
    try:
        with urllib.request.urlopen(url, timeout=timeout) as response:
            return response.read().decode()
    except urllib.error.HTTPError as e:
        return e.code


def get_json(url):
    return json.loads(get(url))


def post(url, body=b""):
    with urllib.request.urlopen(urllib.request.Request(url, data=body, method="POST"), timeout=10) as response:
        return response.read().decode()


def wait_for(what, condition, seconds=20):
    """The first true value of condition(), asked every 50 ms; fails after the given time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            value = condition()
        except OSError:
            value = None
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"waited {seconds} s in vain for {what}")


class Program:
    """A program on its way; its output goes to a file."""

    def __init__(self, command, env=None):
        self.log = tempfile.NamedTemporaryFile(prefix="tokprobe-e2e-", suffix=".log", delete=False)
        self.process = subprocess.Popen(command, stdout=self.log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                        env=env)

    @property
    def pid(self):
        return self.process.pid

    def output(self):
        with open(self.log.name, errors="replace") as f:
            return f.read()

    def stop(self, number=signal.SIGTERM, seconds=10):
        """Ends it; (exit code, seconds it took)."""
        began = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            code = None
        return code, time.monotonic() - began

    def close(self):
        self.stop()
        self.log.close()
        os.unlink(self.log.name)


class EndToEnd(unittest.TestCase):
    """A test case that ends what it starts."""

    def start(self, command, env=None):
        program = Program(command, env)
        self.addCleanup(program.close)
        return program

    def folder(self):
        path = tempfile.mkdtemp(prefix="tokprobe-e2e-")
        self.addCleanup(shutil.rmtree, path, True)
        return path

    def file(self, text, name="file"):
        path = os.path.join(self.folder(), name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def sim(self, *flags):
        """A simulator; its URL."""
        program = self.start([SIM, "--listen", "127.0.0.1:0", *flags])
        line = wait_for("the simulator", lambda: re.search(r"listening on (\S+)", program.output()))
        return line.group(1)

    def serve(self, config, *flags, prefix=(), wait=True):
        """An agent with this configuration; (program, URL)."""
        port = free_port()
        program = self.start([*prefix, TOKPROBE, "serve", f"--config.file={self.file(config, 'tokprobe.yml')}",
                              f"--web.listen-address=127.0.0.1:{port}", *flags])
        url = f"http://127.0.0.1:{port}"
        if wait:
            try:
                wait_for("the agent", lambda: isinstance(get(url + "/-/ready"), str))
            except AssertionError as e:
                raise AssertionError(f"{e}\n{program.output()}") from e
        return program, url

    def probe(self, url, *flags, timeout=120, prefix=()):
        """`tokprobe probe --format json`; (document, exit code)."""
        done = subprocess.run([*prefix, TOKPROBE, "probe", url, "--format", "json", *flags], capture_output=True, text=True,
                              timeout=timeout)
        if not done.stdout:
            raise AssertionError(f"exit {done.returncode}, nothing on stdout; stderr: {done.stderr}")
        return json.loads(done.stdout), done.returncode

    def prometheus(self, targets, scrape="1s"):
        """A real Prometheus that scrapes these host:port; its URL."""
        port, folder = free_port(), self.folder()
        config = self.file(f"global: {{scrape_interval: {scrape}}}\nscrape_configs:\n"
                           f"  - {{job_name: tokprobe, static_configs: [{{targets: {json.dumps(targets)}}}]}}\n",
                           "prometheus.yml")
        program = self.start(["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder}/data",
                              f"--web.listen-address=127.0.0.1:{port}"])
        url = f"http://127.0.0.1:{port}"
        try:
            wait_for("Prometheus", lambda: isinstance(get(url + "/-/ready"), str), 30)
        except AssertionError as e:
            raise AssertionError(f"{e}\n{program.output()}") from e
        return url


def query(prometheus, expression):
    """[(labels, value)] of an instant query."""
    answer = get_json(f"{prometheus}/api/v1/query?query={urllib.request.quote(expression)}")
    return [(row["metric"], float(row["value"][1])) for row in answer["data"]["result"]]


SAMPLE = re.compile(r'^(\w+)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def samples(page):
    """[(name, labels, value)] of a metrics page."""
    out = []
    for line in page.splitlines():
        match = SAMPLE.match(line)
        if match:
            labels = {k: v.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")
                      for k, v in LABEL.findall(match.group(2) or "")}
            out.append((match.group(1), labels, float(match.group(3))))
    return out


def value(page, name, **labels):
    """The one sample of that name with at least those labels; None when there is none."""
    found = [v for n, have, v in samples(page) if n == name and labels.items() <= have.items()]
    if len(found) > 1:
        raise AssertionError(f"{len(found)} samples match {name} {labels}")
    return found[0] if found else None


def total(page, name, **labels):
    return sum(v for n, have, v in samples(page) if n == name and labels.items() <= have.items())


class RawServer:
    """A server that does to each connection what a function says. Bounded: its threads are daemons."""

    def __init__(self, behave, context=None):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        self.url = f"http{'s' if context else ''}://127.0.0.1:{self.port}"
        self.stopped = threading.Event()
        self.requests = 0

        def one(connection):
            try:
                if context:
                    connection = context.wrap_socket(connection, server_side=True)
                with connection:
                    read_request(connection)
                    self.requests += 1
                    behave(connection, self.stopped)
            except (OSError, ValueError):
                pass

        def accept():
            while not self.stopped.is_set():
                ready, _, _ = select.select([self.listener], [], [], 0.2)
                if ready:
                    connection, _ = self.listener.accept()
                    threading.Thread(target=one, args=(connection,), daemon=True).start()
            self.listener.close()

        threading.Thread(target=accept, daemon=True).start()

    def close(self):
        self.stopped.set()


def read_request(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            raise OSError("closed")
        data += piece
    head, body = data.split(b"\r\n\r\n", 1)
    length = re.search(rb"(?i)content-length: (\d+)", head)
    while length and len(body) < int(length.group(1)):
        piece = connection.recv(65536)
        if not piece:
            raise OSError("closed")
        body += piece
    return head, body


STREAM_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"


def chunk(text):
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": text}}]}).encode() + b"\n\n"


FINISH = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def resident_kib(pid):
    with open(f"/proc/{pid}/status") as f:
        return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1))


def peak_kib(pid):
    with open(f"/proc/{pid}/status") as f:
        return int(re.search(r"VmHWM:\s+(\d+)", f.read()).group(1))


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
