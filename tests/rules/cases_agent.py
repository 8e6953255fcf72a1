"""Cases of the alerts on the agent itself."""
from cases import Case
from world import failures, warnings

AGENT = ("job", "instance")
ROW = "0x9 1 2 3x20"
# No connection since minute 10.
CUT = {"consecutive_failures": ROW, failures("connect"): ROW}
DEAD = {"consecutive_failures": ROW, failures("http_5xx"): ROW}
NOT_ALONE = ("TokprobeProbeFailing",)

ISOLATED = (
    # Two of three targets at once.
    Case("AgentIsolated", "critical", 12, CUT,
         """The agent agent:18838 cannot even connect to 66.67% of its targets, all at once; alerts above 50%. Its machine's network or
         name server is the likely cause, not the servers.""",
         quiet=({"consecutive_failures": "0x20", failures("connect"): "0x20"},  # one of three
                {failures("connect"): "0x20", failures("http_5xx"): ROW}, {"maintenance": "1x20"}),
         absent=("consecutive_failures",), labels=AGENT, also=NOT_ALONE,
         others=(({"target": "llama"}, CUT), ({"target": "mistral"}, {}))),
    Case("AgentIsolated", "critical", 12, {"consecutive_failures": ROW, failures("dns"): ROW},
         """The agent agent:18838 cannot even connect to 100% of its targets, all at once; alerts above 50%. Its machine's network or
         name server is the likely cause, not the servers.""",
         quiet=({failures("dns"): "0x20", **DEAD},), absent=("target_info",), labels=AGENT, also=NOT_ALONE, others=(({"target": "llama"}, CUT),)),
)

CASES = ISOLATED + (
    Case("AgentDown", "critical", 20, {"up": "1x9 0x20"},
         "Prometheus has had no answer from the agent agent:18838 for more than 3m. Nothing is known about its servers.",
         quiet=({"up": "1x17 0x20"}, {"up": "0x9 1 0 1 0x4 1 0x4"}), absent=("build_info",), labels=AGENT),
    Case("AgentAbsent", "critical", 20, {'build_info{version="1"}': "1 stale _x20"},
         "Prometheus has no metrics of any tokprobe agent: none runs, or none is scraped.",
         quiet=({'build_info{version="1"}': "1x14 _x10"},), absent=("target_info", "runs"), absent_fires=True, labels=()),
    Case("ClientLimited", "warning", 16, {warnings("client_limited"): "0+0.2x50"},
         """20% of the requests of the agent agent:18838 in the last 30m were read so late that their figures are in doubt; alerts above
         10%. Its machine is short of CPU.""",
         quiet=({warnings("client_limited"): "0+0.09x50"}, {warnings("client_limited"): "0x8 2x10", "requests_total": "0x8 2x10"}),
         absent=("request_warnings",), labels=AGENT),
    Case("ConfigReloadFailed", "warning", 10, {"config_last_reload_successful": "1x3 0x20"},
         "The agent agent:18838 could not read its configuration file and goes on with the one before.",
         quiet=({"config_last_reload_successful": "1x7 0x20"},), absent=("config_last",), labels=AGENT),
)
