"""Cases of the alerts on speed."""
import dataclasses

from cases import Case, OnlyTwin
from world import ratio, violations

WHO = "qwen (probe heartbeat, 1 at once)"
SEEN = "Seen by the agent agent:18838."
MAINTENANCE = {"maintenance": "1x1500"}
# A run long ago: this is for ResultsStale to say.
OLD = {"last_run_timestamp_seconds": "0x1500"}


def regression(alert, measure, window, at, slow, normal, shown, figures, over, limit, every=1):
    """Slow for `at` minutes; `figures` are (gauge of the last run, its value, as shown, as expected)."""
    what, gauge, value, last, expectation = figures
    return Case(
        alert, "warning", at, {ratio(measure, window): f"{slow}x{at}", gauge: f"{value}x{at}"},
        f"""{WHO} is at {shown} of its normal speed. {what} of the last run: {last}; expected at this load: {expectation},
        from 300 runs. Median of {over}; alerts below {limit}. {SEEN}""",
        quiet=({ratio(measure, window): f"{normal}x{at}"},  # just above the threshold
               {ratio(measure, window): f"1x{at - 3} {slow}x3"},  # not for long enough
               MAINTENANCE, OLD if at > 5 else MAINTENANCE),
        absent=("speed_ratio",), extra={"measure": measure, "window": window}, every=every)


THROUGHPUT = ("Tokens per second", "run_output_tokens_per_second", 55.1, "55.1", "70.8")
TTFT = ("Time to first token", "run_time_to_first_token_seconds", 0.43, "430ms", "300ms")
TPOT = ("Time per output token", "run_time_per_output_token_seconds", 0.0167, "16.7ms", "13ms")
RECENT, TREND = "the last 30 minutes (at least 5 runs)", "the last 4 hours (at least 12 runs)"
MONTH = "the last day (at least 24 runs) against what was normal 28 days ago"

REGRESSIONS = (
    regression("ThroughputDrop", "throughput", "recent", 6, 0.80, 0.88, "80%", THROUGHPUT, RECENT, "88%"),
    regression("ThroughputDrop", "throughput", "trend", 17, 0.90, 0.94, "90%", THROUGHPUT, TREND, "92.5%"),
    regression("ThroughputDrop", "throughput", "month", 80, 0.925, 0.95, "92.5%", THROUGHPUT, MONTH, "94%", 10),
    regression("TtftRegression", "ttft", "recent", 6, 0.60, 0.76, "60%", TTFT, RECENT, "75%"),
    regression("TtftRegression", "ttft", "trend", 17, 0.80, 0.88, "80%", TTFT, TREND, "87%"),
    regression("TpotRegression", "tpot", "recent", 6, 0.80, 0.88, "80%", TPOT, RECENT, "88%"),
    regression("TpotRegression", "tpot", "trend", 17, 0.90, 0.94, "90%", TPOT, TREND, "92.5%"),
    regression("TpotRegression", "tpot", "month", 80, 0.925, 0.95, "92.5%", TPOT, MONTH, "94%", 10),
)

AVAILABILITY = {"objectives": (("availability", 0.99), ("time_to_first_token", 2))}


def burning(alert, severity, window, at, wrong, harmless, description, objective="availability", every=1, since=0, **more):
    """From minute `since` on, `wrong` requests a minute miss the objective; `harmless` do not burn fast enough."""
    key = violations(objective)

    def row(slope):
        return f"0x{since} {slope}+{slope}x{at - since}"
    return Case(
        alert, severity, at, {key: row(wrong)}, description,
        quiet=({key: row(harmless)},  # not fast enough
               {key: f"0x{at - 12} 1x12"},  # one violation, however much of a budget that is
               {"maintenance": f"1x{at}"}),
        absent=("objective_violations",), extra={"objective": objective, **({"window": window} if window else {})},
        healthy=more.pop("healthy", AVAILABILITY), every=every, **more)


OBJECTIVES = (
    burning("ObjectiveFastBurn", "critical", "1h", 440, 0.2, 0.1, f"""12 of 60 requests to {WHO} missed the objective availability in 1h:
            its error budget burns 20.0 times too fast, and still so in the last 15m. Alerts above a factor of 14.4. {SEEN}""",
            since=370, every=10),
    burning("ObjectiveFastBurn", "critical", "6h", 400, 0.08, 0.05, f"""29 of 360 requests to {WHO} missed the objective availability
            in 6h: its error budget burns 8.0 times too fast, and still so in the last 2h. Alerts above a factor of 6. {SEEN}""",
            also=("TokprobeObjectiveSlowBurn",), every=10),
    # A time objective has a budget of 5 %: three quarters of the requests are too slow.
    burning("ObjectiveFastBurn", "critical", "1h", 440, 0.8, 0.5, f"""48 of 60 requests to {WHO} missed the objective
            time_to_first_token in 1h: its error budget burns 16.0 times too fast, and still so in the last 15m. Alerts above a
            factor of 14.4. {SEEN}""", objective="time_to_first_token", since=370, every=10),
    # Within three hours: after that the factor of 1 over three days is told as well.
    burning("ObjectiveSlowBurn", "warning", "1d", 850, 0.5, 0.05, f"""65 of 850 requests to {WHO} missed the objective availability
            in 1d: its error budget burns 7.6 times too fast, and still so in the last 6h. Alerts above a factor of 3. {SEEN}""",
            since=720, every=10, also=("TokprobeObjectiveFastBurn",)),
    burning("ObjectiveSlowBurn", "warning", "3d", 600, 0.015, 0.009, f"""9 of 600 requests to {WHO} missed the objective availability
            in 3d: its error budget burns 1.5 times too fast, and still so in the last 1d. Alerts above a factor of 1. {SEEN}""", every=20),
    # Two requests a day, half of them too slow.
    burning("ObjectiveLowVolume", "warning", "", 3600, 0.0008, 0.00005, f"""3 requests to {WHO} missed the objective
            time_to_first_token in 7d. The probe makes too few requests for a burn rate: fewer than 10 in 3d. {SEEN}""",
            objective="time_to_first_token", every=120,
            healthy=dict(AVAILABILITY, interval=43200, timeout=600, requests=2 / 1440)),
)


# Half the speed: the rule of severity warning fires too, and Alertmanager mutes it.
def halved():
    case = regression("ThroughputDrop", "throughput", "recent", 6, 0.40, 0, "40%", THROUGHPUT, RECENT, "88%")
    return dataclasses.replace(case, severity="critical", description=case.description.replace("88%", "50%"), twin=case.description,
                               quiet=(OnlyTwin(case.description.replace("40%", "51%"), {ratio("throughput", "recent"): "0.51x6"}), MAINTENANCE))


CASES = (*REGRESSIONS, halved(), *OBJECTIVES)
