"""What a healthy agent exports, minute by minute, in the notation of promtool's unit tests; and how to spoil it.

A world is a dict: series without the labels that every series of its kind has -> values. `consecutive_failures` stands for
tokprobe_consecutive_failures{job="tokprobe",instance=..,target=..,team="search",probe=..,concurrency=..}. Values are promtool's:
`0x9` ten zeros, `0+60x9` 0, 60, .. 540, `_` no sample, `stale` the mark that a failed scrape leaves.
"""
import re
from fractions import Fraction

# The labels that a series has beside job, instance and those in its key.
KINDS = {
    "agent": ("up", "build_info", "config_last_reload_successful"),
    "target": ("target_info", "maintenance"),
    "probe": ("probe_interval_seconds", "probe_timeout_seconds", "objective_value", "runs_degraded_total", "runs_skipped_total"),
}
KIND = {name: kind for kind, names in KINDS.items() for name in names}
LABELS = {"agent": (), "target": ("target", "team"), "probe": ("target", "team", "probe"),
          "level": ("target", "team", "probe", "concurrency")}

REASONS = ("dns", "connect", "timeout_stall", "unauthorized", "http_5xx")
WARNINGS = ("short_output", "prompt_length", "burst", "not_streamed", "client_limited")
MEASURES, WINDOWS = ("throughput", "ttft", "tpot"), ("recent", "trend", "month")


def healthy(minutes, interval=60, timeout=45, requests=1.0, objectives=()):
    """An agent with one target and one probe of this interval; `requests` a minute."""
    steady = f"x{minutes}"
    world = {
        "up": f"1{steady}", 'build_info{version="1"}': f"1{steady}", "config_last_reload_successful": f"1{steady}",
        'target_info{model="m"}': f"1{steady}", "probe_interval_seconds": f"{interval}{steady}",
        "probe_timeout_seconds": f"{timeout}{steady}", "runs_degraded_total": f"0{steady}",
        'runs_skipped_total{reason="overlap"}': f"0{steady}", "success": f"1{steady}", "consecutive_failures": f"0{steady}",
        "runs_total": f"0+{60 / interval}{steady}", "requests_total": f"0+{requests}{steady}",
        "last_run_timestamp_seconds": f"0+60{steady}", "run_output_tokens_per_second": f"70.8{steady}",
        "run_time_to_first_token_seconds": f"0.3{steady}", "run_time_per_output_token_seconds": f"0.013{steady}",
        "expected_output_tokens_per_second": f"70.8{steady}", "expected_time_to_first_token_seconds": f"0.3{steady}",
        "expected_time_per_output_token_seconds": f"0.013{steady}", "expected_samples": f"300{steady}",
    }
    world.update({f'request_failures_total{{reason="{reason}"}}': f"0{steady}" for reason in REASONS})
    world.update({f'request_warnings_total{{warning="{warning}"}}': f"0{steady}" for warning in WARNINGS})
    world.update({ratio(measure, window): f"1{steady}" for measure in MEASURES for window in WINDOWS})
    for objective, value in objectives:
        world[f'objective_value{{objective="{objective}"}}'] = f"{value}{steady}"
        world[f'objective_requests_total{{objective="{objective}"}}'] = f"0+{requests}{steady}"
        world[f'objective_violations_total{{objective="{objective}"}}'] = f"0{steady}"
    return world


def ratio(measure, window):
    return f'speed_ratio{{measure="{measure}",window="{window}"}}'


def failures(reason):
    return f'request_failures_total{{reason="{reason}"}}'


def warnings(warning):
    return f'request_warnings_total{{warning="{warning}"}}'


def violations(objective):
    return f'objective_violations_total{{objective="{objective}"}}'


def labels_of(key, place):
    """All labels of a series as a dict; `place` holds instance, target, probe and concurrency."""
    name, _, inside = key.partition("{")
    wanted = ("job", "instance", *LABELS[KIND.get(name, "level")])
    return dict({label: place[label] for label in wanted}, **dict(re.findall(r'(\w+)="([^"]*)"', inside)))


def series(key, place):
    name = key.partition("{")[0]
    text = ",".join(f'{label}="{value}"' for label, value in labels_of(key, place).items())
    return f'{name if name == "up" else "tokprobe_" + name}{{{text}}}'


def expanded(values):
    """Promtool's notation as a list of numbers, `_` and `stale`."""
    out = []
    for word in values.split():
        match = re.fullmatch(r"(_|-?[\d.]+)(?:([+-])([\d.]+))?x(\d+)", word)
        if not match:
            out.append(word if word in ("_", "stale") else Fraction(word))
            continue
        start, sign, step, times = match.groups()
        if start == "_":
            out += ["_"] * int(times)
            continue
        step = Fraction(step or 0) * (-1 if sign == "-" else 1)
        out += [Fraction(start) + step * i for i in range(int(times) + 1)]
    return out


def compact(values):
    """The shortest way to write a list down that is easy to find: steady runs become one word."""
    out, i = [], 0
    while i < len(values):
        if isinstance(values[i], str):
            out.append(values[i])
            i += 1
            continue
        j = i + 1
        numbers = j < len(values) and not isinstance(values[j], str)
        step = values[j] - values[i] if numbers else Fraction(0)
        while j < len(values) and not isinstance(values[j], str) and values[j] - values[j - 1] == step:
            j += 1
        out.append(f"{float(values[i])!r}+{float(step)!r}x{j - i - 1}".replace("+-", "-"))
        i = j
    return " ".join(out)


def with_missed_scrapes(world, minutes):
    """As Prometheus stores it when these scrapes failed: up is 0, every other series is marked stale."""
    out = {}
    for key, values in world.items():
        values = expanded(values)
        for minute in minutes:
            if minute < len(values):
                values[minute] = Fraction(0) if key == "up" else "stale"
        out[key] = compact(values)
    return out
