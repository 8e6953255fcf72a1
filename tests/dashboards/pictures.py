#!/usr/bin/env python3
"""Draws the dashboards of the documentation from a live stack, into dashboards/pictures; takes a quarter of an hour.

usage: tests/dashboards/pictures.py [NAME ..]

Needs the release build, Prometheus, Chromium and Node.js (deploy/packages.sh build services dashboards).
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
from stack import ROOT, Stack  # noqa: E402

LEARN, WATCH = 540, 300  # seconds before and after the upgrade of a server
MAX_BYTES = 300_000
# name: dashboard, options of render.mjs
PICTURES = {
    "fleet": ("fleet", ["--width", "1280", "--theme", "dark"]),
    "target": ("target", ["--width", "1400", "--theme", "dark", "--var", "target=llama-batch", "--height", "1048"]),
    "target-light": ("target", ["--width", "1000", "--theme", "light", "--var", "target=qwen-prod", "--height", "1066"]),
    "before-after": ("before-after", ["--width", "1400", "--theme", "dark", "--var", "target=llama-batch", "--var", "offset=6m", "--from", "now-4m",
                                      "--height", "896"]),
    "agent": ("agent", ["--width", "1280", "--theme", "dark", "--height", "972"]),
}


def say(text):
    print(text, file=sys.stderr, flush=True)


def main():
    # So that what was started is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    wanted = {name: PICTURES[name] for name in sys.argv[1:] or PICTURES}
    page = subprocess.run([os.path.join(HERE, "render", "setup.sh")], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    say(f"pictures: figures are gathered for {LEARN // 60} minutes")
    stack, too_big = Stack(scale=2500), []
    try:
        time.sleep(LEARN)
        stack.upgrade()
        say(f"pictures: and for {WATCH // 60} minutes after an upgrade of one server")
        time.sleep(WATCH)
        target = os.path.join(ROOT, "dashboards", "pictures")
        os.makedirs(target, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="tokprobe-pictures-") as out:
            for name, (board, options) in wanted.items():
                subprocess.run(["node", os.path.join(page, "render.mjs"), "--prometheus", stack.prometheus, "--out", out, "--scrape-ms", "2000",
                                "--from", f"now-{(LEARN + WATCH) // 60}m", *options, os.path.join(ROOT, "dashboards", f"{board}.json")], check=True)
                drawn, = (f for f in os.listdir(out) if f.endswith(".png"))
                size = os.path.getsize(os.path.join(out, drawn))
                if size > MAX_BYTES:
                    too_big.append(f"{name}.png has {size} bytes, more than {MAX_BYTES}: choose a smaller --height")
                os.replace(os.path.join(out, drawn), os.path.join(target, f"{name}.png"))
    finally:
        stack.close()
    if too_big:
        sys.exit("\n".join(too_big))


if __name__ == "__main__":
    main()
