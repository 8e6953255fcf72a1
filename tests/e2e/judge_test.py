"""The judge in the running agent: it learns, sees a slowdown, takes a new normal when told to, and remembers all of it."""
import subprocess
import unittest
import urllib.error
import urllib.request

from support import TOKPROBE, EndToEnd, get, post, samples, wait_for

# A day lasts 144 s: an hour is left out of the reference, so 6 s here.
SCALE = "600"
CONFIG = """
targets:
  - {{name: qwen, url: {url}, api: openai-chat, model: sim-model}}
probes:
  - {{name: speed, interval: 1s, input_tokens: 20, output_tokens: 40}}
"""


def ratio(web, window="recent"):
    return next((v for name, labels, v in samples(get(web + "/metrics")) if name == "tokprobe_speed_ratio"
                 and (labels["measure"], labels["window"]) == ("throughput", window)), None)


def gauge(web, name):
    return next((v for n, _, v in samples(get(web + "/metrics")) if n == name), None)


class Judging(EndToEnd):
    def agent(self, url, storage, *flags):
        return self.serve(CONFIG.format(url=url), f"--storage.path={storage}", *flags,
                          prefix=["env", f"TOKPROBE_TEST_TIME_SCALE={SCALE}"])

    def test_a_slowdown_is_seen_and_accepted_and_remembered(self):
        sim, storage = self.sim("--ttft", "0.1", "--decode", "1:400"), self.folder()
        agent, web = self.agent(sim, storage, "--web.enable-lifecycle")
        self.assertIsNone(ratio(web), "nothing is normal yet")
        wait_for("a reference", lambda: (ratio(web) or 0) > 0.9, 60)
        normal = 40 / (0.1 + 39 / 400)
        self.assertAlmostEqual(gauge(web, "tokprobe_expected_output_tokens_per_second") / normal, 1, delta=0.1)

        post(sim + "/sim/config", b'{"ttft": 0.3}')
        wait_for("the slowdown", lambda: ratio(web) < 0.6, 20)
        self.assertAlmostEqual(gauge(web, "tokprobe_expected_output_tokens_per_second") / normal, 1, delta=0.1)

        stranger = subprocess.run([TOKPROBE, "accept", "nobody", "--agent", web], capture_output=True, text=True, timeout=30)
        self.assertEqual((stranger.returncode, stranger.stdout), (2, ""))
        self.assertIn("there is no target 'nobody'", stranger.stderr)
        # The level moves to that of the trend window, which needs 12 runs to be slow.
        wait_for("the trend", lambda: (ratio(web, "trend") or 1) < 0.6, 60)
        done = subprocess.run([TOKPROBE, "accept", "qwen", "--agent", web], capture_output=True, text=True, timeout=30)
        self.assertEqual((done.returncode, done.stdout), (0, "1 series of qwen accepted as normal.\n"), done.stderr)
        wait_for("the new normal", lambda: ratio(web) > 0.9, 20)
        slow = 40 / (0.3 + 39 / 400)
        self.assertAlmostEqual(gauge(web, "tokprobe_expected_output_tokens_per_second") / slow, 1, delta=0.1)

        code, _ = agent.stop()
        self.assertEqual(code, 0, agent.output())
        _, web = self.agent(sim, storage)
        wait_for("a judgement", lambda: ratio(web), 20)
        self.assertAlmostEqual(gauge(web, "tokprobe_expected_output_tokens_per_second") / slow, 1, delta=0.1)

    def test_accepting_needs_the_lifecycle_flag_and_post(self):
        agent, web = self.agent(self.sim(), self.folder())
        done = subprocess.run([TOKPROBE, "accept", "qwen", "--agent", web], capture_output=True, text=True, timeout=30)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--web.enable-lifecycle", done.stderr)
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(web + "/-/accept?target=qwen", timeout=10)
        self.assertEqual(refused.exception.code, 405)
        refused.exception.close()


if __name__ == "__main__":
    unittest.main()
