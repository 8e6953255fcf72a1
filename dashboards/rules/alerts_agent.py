"""Alerts on the agent itself."""
import parameters as p
from promql import AGENT, TARGET, Group, alert, equal, lines
from recording import UNREACHABLE


def down(q):
    return alert("AgentDown", "critical", lines(f"""
        max_over_time({q.of("up", window=p.AGENT_DOWN_WINDOW)}) == 0
        and on ({AGENT})
          last_over_time({q.of("tokprobe_build_info", window=p.AGENT_KNOWN)})"""),
                 "An agent cannot be scraped: its servers are not watched.", f"""
Prometheus has had no answer from the agent {{{{ $labels.instance }}}} for more than {p.AGENT_DOWN_WINDOW}.
Nothing is known about its servers.""", p.AGENT_DOWN_WAIT,
                 why="Whatever once said that it was an agent; so no job name needs to be agreed on.")


def absent(q):
    return alert("AgentAbsent", "critical", f"absent({q.latest('tokprobe_build_info')})", "There is no agent at all.", """
Prometheus has no metrics of any tokprobe agent: none runs, or none is scraped.""", p.AGENT_ABSENT_WAIT)


def isolated(q):
    unreachable = f"count by ({AGENT}) ({q.of(UNREACHABLE)})"
    return alert("AgentIsolated", "critical", lines(f"""
        {unreachable}
          / count by ({AGENT}) (count by ({TARGET}) ({q.latest('tokprobe_target_info')})) > {p.ISOLATED_SHARE:g}
        and on ({AGENT})
          {unreachable} >= {p.ISOLATED_TARGETS}"""),
                 "An agent cannot connect to most of its servers: its own network is the likely cause.", f"""
The agent {{{{ $labels.instance }}}} cannot even connect to {{{{ $value | humanizePercentage }}}} of its targets, all at once;
alerts above {p.ISOLATED_SHARE:.0%}. Its machine's network or name server is the likely cause, not the servers.""", keep=p.ISOLATED_KEEP)


def client_limited(q):
    number = f"sum by ({AGENT}) ({q.increase('tokprobe_request_warnings_total', p.CLIENT_LIMITED_WINDOW, equal('warning', 'client_limited'))})"
    return alert("ClientLimited", "warning", lines(f"""
        {number}
          / sum by ({AGENT}) ({q.increase("tokprobe_requests_total", p.CLIENT_LIMITED_WINDOW)}) > {p.CLIENT_LIMITED_SHARE:g}
        and
          {number} >= {p.CLIENT_LIMITED_COUNT}"""),
                 "An agent is too slow for its own measurements.", f"""
{{{{ $value | humanizePercentage }}}} of the requests of the agent {{{{ $labels.instance }}}} in the last {p.CLIENT_LIMITED_WINDOW}
were read so late that their figures are in doubt; alerts above {p.CLIENT_LIMITED_SHARE:.0%}. Its machine is short of CPU.""")


def reload_failed(q):
    return alert("ConfigReloadFailed", "warning", f"{q.latest('tokprobe_config_last_reload_successful')} == 0",
                 "An agent runs with an old configuration: the new one has a fault.", """
The agent {{ $labels.instance }} could not read its configuration file and goes on with the one before.""", p.RELOAD_FAILED_WAIT)


def groups(q):
    yield Group("tokprobe-agent", "1m", [down(q), absent(q), isolated(q), client_limited(q), reload_failed(q)])
