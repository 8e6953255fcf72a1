"""The rules that every dashboard obeys. Each rule is a function: dashboard, what the agent exports -> list of problems.

What the agent exports comes from dashboards/METRICS.md. The exceptions stand here, each with its reason.
"""
import re

# Metrics that panels name but the agent does not export yet.
LATER = {
    "tokprobe_server_identity_changes_total": "marks in time series; until it comes they are found by changes of target_info",
}
# What Prometheus itself writes, with the labels that we use of it.
OF_PROMETHEUS = {"up": set(), "scrape_duration_seconds": set(), "ALERTS": {"alertname", "alertstate", "severity", "target"}}
# Alerts are aggregated: many of them have no job and instance.
WITHOUT_JOB = {"ALERTS"}
SUFFIXES = {"_bucket": {"le"}, "_sum": set(), "_count": set()}
ALWAYS = {"job", "instance"}
# Windows that fit every scrape and probe interval. In annotations a fixed one says how near in time two versions must be.
WINDOWS = {"$__rate_interval", "$__range", "$__range:$__interval"}
ANNOTATION_WINDOWS = {"5m"}
VARIABLES = ["datasource", "job", "instance", "target", "probe", "concurrency"]
# Whose panels show values of no measure.
ANY_CONCURRENCY = {"tokprobe-agent"}
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
UNITS = {"short", "none", "s", "percentunit", "bytes", "reqps", "suffix: tok/s"}

SELECTOR = re.compile(r"\b([a-zA-Z_:][a-zA-Z0-9_:]*)\{([^}]*)\}")
MATCHER = re.compile(r'(\w+)(=~|!~|!=|=)"((?:[^"\\]|\\.)*)"')
GROUPING = re.compile(r"\b(?:by|on|without|ignoring|group_left|group_right)\s*\(([^)]*)\)")
LEGEND = re.compile(r"\{\{\s*(\w+)\s*\}\}")
RANGE = re.compile(r"\[([^\]]*)\]")


def exported(markdown):
    """{metric: labels} of dashboards/METRICS.md, histograms by the names of their series."""
    out = {}
    for name, kind, labels in re.findall(r"^\| `(\w+)` \| (\w+) \| ([^|]*) \|", markdown, re.M):
        have = {label.strip() for label in labels.split(",") if re.fullmatch(r"\s*\w+\s*", label)}
        if kind == "histogram":
            out.update({name + suffix: have | more for suffix, more in SUFFIXES.items()})
        else:
            out[name] = have
    return out


def panels(board):
    return [p for p in board["panels"] if p["type"] != "row"]


def queries(board):
    """(where, expression, legend) of every query."""
    out = [(f'"{p["title"]}" {t["refId"]}', t["expr"], t["legendFormat"]) for p in panels(board) for t in p["targets"]]
    return out + [(f'annotation "{a["name"]}"', a["expr"], a["titleFormat"] + a["textFormat"]) for a in annotations(board)]


def annotations(board):
    return [a for a in board["annotations"]["list"] if not a.get("builtIn")]


def variable_queries(board):
    return [(f"variable {v['name']}", re.sub(r"^label_values\((.*), \w+\)$", r"\1", v["query"]["query"]))
            for v in board["templating"]["list"] if v["type"] == "query"]


def names_exist(board, metrics):
    """Every metric and every label, wherever it is named."""
    known, problems = {**metrics, **OF_PROMETHEUS, **{name: {"target"} for name in LATER}}, []
    # A variable that asks for a metric without matchers is fine.
    bare = [(where, q if "{" in q else q + "{}", "") for where, q in variable_queries(board)]
    for where, expression, legend in queries(board) + bare:
        labels = set(ALWAYS) | {"le"} | set(re.findall(r'label_replace\(.*?, "(\w+)", "', expression))
        found = SELECTOR.findall(expression)
        if not found:
            problems.append(f"{where}: no metric in {expression}")
        for name, matchers in found:
            if name not in known:
                problems.append(f"{where}: the agent has no metric {name}")
                continue
            labels |= known[name]
            problems += [f"{where}: {name} has no label {label}" for label, _, _ in MATCHER.findall(matchers)
                         if label not in known[name] | ALWAYS]
        rest = SELECTOR.sub(" ", expression)
        problems += [f"{where}: {name} stands without matchers" for name in known if re.search(rf"\b{name}\b(?!\s*[({{])", rest)
                     and name.startswith("tokprobe_")]
        used = {label.strip() for group in GROUPING.findall(expression) for label in group.split(",") if label.strip()}
        problems += [f"{where}: none of its metrics has the label {label}" for label in sorted((used | set(LEGEND.findall(legend))) - labels)]
    return problems


def later_is_later(_, metrics):
    return [f"{name} is exported now: take it out of LATER in lint.py" for name in LATER if name in metrics]


def matchers(board, _):
    """Job and instance everywhere; the variables in the form that suits them."""
    problems = []
    multi = {v["name"] for v in board["templating"]["list"] if v.get("multi")}
    for where, expression, _legend in queries(board):
        for name, inside in SELECTOR.findall(expression):
            have = {label: (operator, value) for label, operator, value in MATCHER.findall(inside)}
            for label in ("job", "instance"):
                if name not in WITHOUT_JOB and have.get(label) != ("=~", f"${label}"):
                    problems.append(f'{where}: {name} without {label}=~"${label}"')
            problems += [f"{where}: {label}={value} is a variable with several values, so it needs =~" for label, (operator, value) in have.items()
                         if value[1:] in multi and value.startswith("$") and operator != "=~"]
    return problems


def windows(board, _):
    """No window that holds no run of a slow probe, and counters only as increase or rate."""
    problems = []
    for where, expression, _legend in queries(board):
        allowed = WINDOWS | (ANNOTATION_WINDOWS if where.startswith("annotation") else set())
        problems += [f"{where}: the window [{w}] is fixed" for w in RANGE.findall(expression) if w not in allowed]
        problems += [f"{where}: rate over [{w}], not $__rate_interval" for w in re.findall(r"\bi?rate\([^[]*\[([^\]]*)\]", expression)
                     if w != "$__rate_interval"]
        for match in SELECTOR.finditer(expression):
            if re.search(r"_(total|bucket|count|sum)$", match[1]):
                before = re.search(r"(\w+)\($", expression[:match.start()])
                if not before or before[1] not in ("rate", "irate", "increase", "changes") or expression[match.end():match.end() + 1] != "[":
                    problems.append(f"{where}: the counter {match[1]} outside of increase and rate")
    return problems


def joins(board, _):
    """A join with what is known about a target, or of a target with its agent, names all that tells two agents apart."""
    return [f"{where}: joins on ({keys}), which two agents share" for where, expression, _legend in queries(board)
            for keys in re.findall(r"\bon \(([^)]*)\)", expression) if not {"job", "instance"} <= {k.strip() for k in keys.split(",")}]


def agents_only(board, _):
    """With every job chosen, `up` and process metrics are those of all that Prometheus scrapes: they are joined with ours."""
    return [f"{where}: {name} of every job" for where, expression, _legend in queries(board)
            for name, _matchers in SELECTOR.findall(expression)
            if not name.startswith("tokprobe_") and name not in WITHOUT_JOB
            and not ("on (job, instance)" in expression and "tokprobe_" in expression)]


def described(board, _):
    problems = []
    for p in panels(board):
        where, field = f'"{p["title"]}"', p["fieldConfig"]["defaults"]
        if not p["title"].strip():
            problems.append(f"panel {p['id']}: no title")
        text = p.get("description", "")
        if len(text) < 80 or not text.endswith("."):
            problems.append(f"{where}: the description must say in sentences what it shows and what to do about it")
        if field.get("unit") not in UNITS:
            problems.append(f"{where}: unit {field.get('unit')!r} is none of {sorted(UNITS)}")
    return problems


def sources(board, _):
    problems = [f'"{p["title"]}": another data source' for p in panels(board) if p["datasource"] != DATASOURCE]
    problems += [f'"{p["title"]}" {t["refId"]}: another data source' for p in panels(board) for t in p["targets"] if t["datasource"] != DATASOURCE]
    problems += [f"annotation {a['name']}: another data source" for a in annotations(board) if a["datasource"] != DATASOURCE]
    return problems


def ready_to_import(board, _):
    wanted = {"editable": False, "schemaVersion": 39}
    problems = [f"{key} is {board.get(key)!r}, not {value!r}" for key, value in wanted.items() if board.get(key) != value]
    if "__inputs" in board or "__requires" in board or "id" in board:
        problems.append("it has __inputs, __requires or id: an export, not a source")
    if not re.fullmatch(r"tokprobe-[a-z-]+", board.get("uid", "")):
        problems.append(f"uid {board.get('uid')!r}")
    return problems


def variables(board, _):
    have = {v["name"]: v for v in board["templating"]["list"]}
    wanted = [name for name in VARIABLES if not (name == "concurrency" and board["uid"] in ANY_CONCURRENCY)]
    problems = [f"variable {name}: missing" for name in wanted if name not in have]
    for name, v in have.items():
        if v.get("current") != {}:
            problems.append(f"variable {name}: current is not empty")
        if v["type"] == "datasource":
            if (name, v["label"], v["query"]) != ("datasource", "Data source", "prometheus"):
                problems.append("the data source variable is not datasource, Data source, prometheus")
        elif v["type"] == "query":
            if v["datasource"] != DATASOURCE or v["refresh"] != 2:
                problems.append(f"variable {name}: not asked of the data source again when the time range changes")
            if v["multi"] and (v["allValue"], v["includeAll"]) != (".+", True):
                problems.append(f"variable {name}: All is not .+")
            if not re.search(r"\btokprobe_", v["query"]["query"]):
                problems.append(f"variable {name}: its values come from no metric of ours")
    for name in ("job", "instance"):
        if name in have and (have[name]["label"], have[name]["multi"]) != (name, True):
            problems.append(f"variable {name}: label or multi")
    return problems


def places(board, _):
    """Panels fill the grid without overlap; ids are unique."""
    problems, taken = [], {}
    for p in board["panels"]:
        g = p["gridPos"]
        for cell in ((x, y) for x in range(g["x"], g["x"] + g["w"]) for y in range(g["y"], g["y"] + g["h"])):
            if cell[0] >= 24 or taken.setdefault(cell, p["id"]) != p["id"]:
                problems.append(f'"{p["title"]}" overlaps panel {taken[cell]} or the edge')
                break
    ids = [p["id"] for p in board["panels"]]
    return problems + ([] if len(ids) == len(set(ids)) else ["an id is used twice"])


def links(board, _):
    """To the other dashboards and the runbook, and only to dashboards that exist."""
    urls = [link["url"] for link in board["links"]] + re.findall(r'"url": "(/d/[^"]*)"', repr(board).replace("'", '"'))
    problems = [f"the link {url} leads to no dashboard" for url in urls if url.startswith("/d/") and
                re.match(r"/d/([\w-]+)", url)[1] not in UIDS]
    if not any("RUNBOOK" in url for url in urls):
        problems.append("no link to the runbook")
    return problems


UIDS = {"tokprobe-fleet", "tokprobe-target", "tokprobe-before-after", "tokprobe-agent"}
RULES = (names_exist, later_is_later, matchers, windows, joins, agents_only, described, sources, ready_to_import, variables, places, links)


def problems(board, metrics):
    return [f"{board['uid']}: {problem}" for rule in RULES for problem in rule(board, metrics)]


def as_rules(board):
    """Every query as a recording rule without variables, for promtool; JSON is YAML too."""
    rules = []
    for number, (_where, expression, _legend) in enumerate(queries(board)):
        text = re.sub(r"\$__(rate_interval|interval|range)\b", "5m", expression.replace("$__range_s", "300"))
        text = re.sub(r"\$offset\b", "1d", text)
        rules.append({"record": f"x:{board['uid'].replace('-', '_')}:q{number}", "expr": re.sub(r"\$\w+", "x", text)})
    return {"groups": [{"name": board["uid"], "rules": rules}]}
