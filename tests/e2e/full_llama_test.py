"""A real llama-server (Debian's) with a tiny model: nothing here is pretended."""
import os
import subprocess
import sys
import unittest

from support import ROOT, EndToEnd, free_port, get, get_json, total, value, wait_for

LLAMA = os.path.join(ROOT, "tests", "llama")
SLOTS = 8


def counter(url, name):
    for line in get(url + "/metrics").splitlines():
        if line.startswith(name + " "):
            return float(line.split()[1])
    raise AssertionError(f"no {name}")


class Llama(EndToEnd):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        subprocess.run([os.path.join(LLAMA, "setup.sh")], check=True, stdout=subprocess.DEVNULL)

    def setUp(self):
        model = os.path.join(self.folder(), "tiny.gguf")
        subprocess.run([sys.executable, os.path.join(LLAMA, "make_tiny_gguf.py"), model], check=True, stdout=subprocess.DEVNULL)
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.server = self.start([os.path.join(LLAMA, "server.sh"), model, str(port), str(SLOTS), "2048"])
        try:
            wait_for("llama-server", lambda: "ok" in str(get(self.url + "/health")), 60)
        except AssertionError as e:
            raise AssertionError(f"{e}\n{self.server.output()[-3000:]}") from e

    def test_eight_at_once(self):
        before = counter(self.url, "llamacpp:tokens_predicted_total")
        run, code = self.probe(self.url, "--input-tokens", "200", "--max-tokens", "500", "--concurrency", str(SLOTS),
                               "--requests", str(2 * SLOTS), timeout=300)
        reasons = [(r["reason"], r["detail"]) for r in run["requests"] if not r["ok"]]
        self.assertEqual((code, run["ok"], reasons), (0, 2 * SLOTS, []))
        self.assertEqual({r["output_tokens"] for r in run["requests"]}, {500})
        self.assertEqual({r["token_source"] for r in run["requests"]}, {"usage"})
        self.assertEqual({r["finish_reason"] for r in run["requests"]}, {"length"})
        for r in run["requests"]:
            self.assertAlmostEqual(r["prompt_tokens"], 200, delta=20)
        # Calibration asks for one token each.
        predicted = counter(self.url, "llamacpp:tokens_predicted_total") - before
        self.assertEqual(predicted, 2 * SLOTS * 500 + run["unmeasured_requests"])
        print(f"llama-server, C={SLOTS}: {run['output_tokens_per_second']:.0f} tok/s, TTFT {run['ttft_seconds']:.3f} s, "
              f"{predicted:.0f} tokens predicted")

    def test_both_apis(self):
        for api in ("openai-chat", "openai-completions"):
            with self.subTest(api=api):
                document, code = self.probe(self.url, "--api", api, "--model", "tiny", "--max-tokens", "32", "--prompt",
                                            "The sea is", "--ignore-eos")
                self.assertEqual((code, document["reason"], document["output_tokens"]), (0, "ok", 32))
                self.assertTrue(document["text"])

    def test_the_agent_watches_it(self):
        config = f"targets: [{{name: llama, url: '{self.url}'}}]\n" \
                 "probes: [{name: speed, interval: 3s, concurrency: [1, 4], input_tokens: 100, output_tokens: 50}]\n"
        before = counter(self.url, "llamacpp:tokens_predicted_total")
        agent, web = self.serve(config)
        wait_for("runs", lambda: total(get(web + "/metrics"), "tokprobe_runs_total") >= 6, 60)

        def settled():
            page = get(web + "/metrics")
            mine = total(page, "tokprobe_output_tokens_total")
            server = counter(self.url, "llamacpp:tokens_predicted_total") - before
            return page if mine == server else None
        page = wait_for("equal token counts", settled, 20)
        self.assertEqual(total(page, "tokprobe_request_failures_total"), 0, agent.output())
        self.assertGreater(value(page, "tokprobe_run_output_tokens_per_second", concurrency="4"), 0)
        self.assertEqual(value(page, "tokprobe_target_info", model="tiny", server="llama.cpp"), 1, page)

    def test_wrong_key_and_too_long_a_prompt(self):
        document, code = self.probe(self.url, "--api", "openai-chat", "--model", "tiny", "--input-tokens", "9000",
                                    "--max-tokens", "8")
        self.assertEqual((code, document["reason"], document["http_status"]), (2, "http_4xx", 400))
        self.assertIn("exceed", document["detail"])


if __name__ == "__main__":
    unittest.main()
