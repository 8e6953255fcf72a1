#!/usr/bin/env python3
"""What a once-a-minute probe of a busy production server records: a model to judge alert rules with.

Users arrive by the day and the week; the server admits CAP requests and queues the rest; a stream's speed falls with the number
running, and the number running answers to the speed (Little's law): a slower server is also a fuller one. The probe adds slow
correlated noise, white noise, rare outliers and rare failures. Standard library only, deterministic by seed.

usage: model.py --seed N [--days 38] [--drop 0.2 --at MINUTE [--for MINUTES]] [--rot 0.01] [--peak 1.4]
--drop 0.2 makes the server 20 % slower from minute AT on; --rot 0.01 makes it 1 % slower each day from AT on.
prints CSV: minute,output_tokens_per_second,time_to_first_token_seconds,server_running_requests,server_waiting_requests,success
"""
import argparse, bisect, math, random, sys

CAP, ANSWER_TOKENS, LIMIT = 16, 500, 80


def stream_speed(running):
    return 100 * (1 - 0.3 * running / CAP)


def stationary(arrivals, slowdown):
    """Cumulative distribution of the number of users' requests in the server (birth-death chain, at most LIMIT)."""
    weights, w = [1.0], 1.0
    for n in range(1, LIMIT + 1):
        busy = min(n, CAP)
        w *= arrivals / (busy * stream_speed(busy) * slowdown / ANSWER_TOKENS)
        weights.append(w)
    total, acc, out = sum(weights), 0.0, []
    for w in weights:
        acc += w / total
        out.append(acc)
    return out


def rows(seed, days, drop=0.0, at=0, length=None, rot=0.0, peak=1.4):
    r, slow, phi, tables = random.Random(seed), 0.0, math.exp(-1 / 60), {}
    for minute in range(days * 1440):
        day = (minute % 1440) / 1440
        weekend = (minute // 1440) % 7 >= 5
        load = max(0.0, 0.5 + 0.5 * math.sin(2 * math.pi * (day - 0.3))) * (0.5 if weekend else 1.0)
        disturbed = minute >= at and (length is None or minute < at + length)
        factor = 1.0
        if disturbed and drop:
            factor *= 1 - drop
        if disturbed and rot:
            factor *= (1 - rot) ** ((minute - at) / 1440)
        arrivals = round(peak * (0.1 + 0.9 * load), 2)
        key = (arrivals, round(factor, 3))
        if key not in tables:
            tables[key] = stationary(*key)
        users = bisect.bisect_left(tables[key], r.random())
        running, waiting = min(users, CAP), max(0, users - CAP)
        slow = phi * slow + math.sqrt(1 - phi * phi) * r.gauss(0, 1)
        mine = min(CAP, users + 1)
        speed = stream_speed(mine) * factor * (1 + 0.03 * slow) * (1 + r.gauss(0, 0.03))
        queue = 0.0 if users < CAP else (waiting + 1) / (CAP * stream_speed(CAP) * factor / ANSWER_TOKENS)
        ttft = 0.3 * (1 + 0.5 * mine / CAP) / factor / (1 + 0.03 * slow) * math.exp(r.gauss(0, 0.08)) + queue * r.expovariate(1)
        if r.random() < 0.01:
            speed, ttft = speed / 2, ttft * 3
        yield minute, speed, ttft, running, waiting, 0 if r.random() < 0.002 else 1


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, required=True)
    p.add_argument("--days", type=int, default=38)
    p.add_argument("--drop", type=float, default=0.0)
    p.add_argument("--rot", type=float, default=0.0)
    p.add_argument("--at", type=int, default=0)
    p.add_argument("--for", dest="length", type=int)
    p.add_argument("--peak", type=float, default=1.4, help="arrivals a second at the busiest minute")
    a = p.parse_args()
    sys.stdout.write("minute,output_tokens_per_second,time_to_first_token_seconds,server_running_requests,server_waiting_requests,success\n")
    for row in rows(a.seed, a.days, a.drop, a.at, a.length, a.rot, a.peak):
        sys.stdout.write("%d,%.2f,%.4f,%d,%d,%d\n" % row)


if __name__ == "__main__":
    main()
