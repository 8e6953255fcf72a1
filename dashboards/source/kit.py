"""What the dashboards are made of: variables, queries, panels, and the grid they stand in.

A dashboard is a list of lines, a line a list of panels from left to right; `dashboard` turns them into Grafana's JSON.
"""
import itertools

from parameters import REGRESSIONS, RUNBOOK

TAG = "tokprobe"
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
# What the alert rules call too slow: below `look` of normal for hours, below `alarm` for half an hour.
LOOK = {r.measure: r.below for r in REGRESSIONS if r.window == "trend"}
ALARM = {r.measure: r.below for r in REGRESSIONS if r.window == "recent" and r.severity == "warning"}
MONTH = {r.measure: r.below for r in REGRESSIONS if r.window == "month"}
GREEN, ORANGE, RED, BLUE, GREY = "green", "orange", "red", "blue", "#8e8e8e"

# Label matchers: of the agent, of a target, of a series that a probe makes.
AGENT = 'job=~"$job",instance=~"$instance"'
TARGETS = AGENT + ',target=~"$target"'
TARGET = AGENT + ',target="$target"'
PROBES = ',probe=~"$probe"'
LEVELS = PROBES + ',concurrency=~"$concurrency"'
KEY = "job, instance, target"

TOKENS_PER_SECOND = "suffix: tok/s"


def metric(name, matchers):
    """One of our metrics with label matchers."""
    return f"tokprobe_{name}{{{matchers}}}"


def of_agents(expression, ever=False):
    """What Prometheus or every process exports, of agents only: All jobs means all that Prometheus scrapes. `ever`: also of
    agents that are down now."""
    known = metric("build_info", AGENT)
    return f"{expression} and on (job, instance) {f'last_over_time({known}[$__range])' if ever else known}"


def by_level(function, expression, *more):
    """Aggregates by probe and concurrency, so that levels come in numeric order: the label `workers` is padded with
    spaces on its left (which a legend does not show), because Prometheus sorts labels as text."""
    padded = (f'label_replace(label_replace({expression}, "workers", "   $1", "concurrency", "(.+)"), '
              '"workers", "$1", "workers", ".*(.{4})")')
    return f"{function} by ({', '.join(('probe', *more, 'workers'))}) ({padded})"


LEVEL_LEGEND = "{{probe}} ×{{workers}}"


# Queries.

def series(expression, legend, name="A", **more):
    """A query over the time range."""
    return {"refId": name, "datasource": DATASOURCE, "expr": expression, "legendFormat": legend, "range": True,
            "instant": False, **more}


def instant(expression, name="A", legend="", **more):
    """A query at the end of the time range."""
    return {"refId": name, "datasource": DATASOURCE, "expr": expression, "legendFormat": legend, "range": False,
            "instant": True, **more}


def table_query(expression, name):
    return instant(expression, name, format="table")


# Fields.

def steps(*pairs):
    """Thresholds: the colour below the first value, then (value, colour) .."""
    first, *rest = pairs
    return {"mode": "absolute", "steps": [{"color": first, "value": None}] +
            [{"color": color, "value": value} for value, color in rest]}


def ratio_steps(measure):
    """Colours of a ratio to normal: as the alert rules judge it."""
    return steps(RED, (ALARM[measure], ORANGE), (LOOK[measure], GREEN))


def values(table):
    """Value mappings: number -> (text, colour)."""
    return [{"type": "value", "options": {str(value): {"text": text, "color": color, "index": i}
                                          for i, (value, (text, color)) in enumerate(table.items())}}]


# A missing value is no bad one.
MISSING = [{"type": "special", "options": {"match": "null+nan", "result": {"text": "–", "color": "text", "index": 0}}}]


def override(name, **properties):
    """Properties of one field by its name, or by a pattern when the name begins with a slash. Double underscores in a
    key stand for a dot: custom__width."""
    matcher = "byRegexp" if name.startswith("/") else "byName"
    return {"matcher": {"id": matcher, "options": name},
            "properties": [{"id": key.replace("__", "."), "value": value} for key, value in properties.items()]}


def color(name):
    return {"mode": "fixed", "fixedColor": name}


def shades(tint):
    return {"mode": "shades", "fixedColor": tint}


# Whose fault a failure is, by colour: the way to the server, its slowness, ours; all others are its errors.
REASON_COLORS = [override("/^(dns|connect|tls|timeout_connect)$/", color=shades("purple")),
                 override("/^timeout_(first_token|stall|total)$/", color=shades("orange")),
                 override("/^(unauthorized|rate_limited|http_4xx|internal)$/", color=shades("blue"))]


def expected_line(pattern="/normal$/"):
    """What is normal: a thin dashed line in grey that takes no place in the legend."""
    return override(pattern, color=color(GREY), custom__lineStyle={"fill": "dash", "dash": [6, 6]}, custom__lineWidth=1,
                    custom__fillOpacity=0, custom__showPoints="never",
                    custom__hideFrom={"legend": True, "tooltip": False, "viz": False})


# Panels.

def panel(kind, title, description, targets, options, *, unit="short", decimals=None, thresholds=None, mappings=(),
          overrides=(), transformations=(), custom=None, interval="", points=None, links=(), empty="", **defaults):
    """A panel without its place. `empty` is what stands there when there is nothing to show."""
    field = {"unit": unit, "mappings": list(mappings), "custom": custom or {}, "links": list(links),
             "thresholds": thresholds or steps(GREEN), **defaults}
    if decimals is not None:
        field["decimals"] = decimals
    if empty:
        field["noValue"] = empty
    result = {"type": kind, "title": title, "description": description, "datasource": DATASOURCE, "targets": targets,
              "options": options, "fieldConfig": {"defaults": field, "overrides": list(overrides)},
              "transformations": list(transformations)}
    if interval:
        result["interval"] = interval
    if points:
        result["maxDataPoints"] = points
    return result


def lines(title, description, targets, *, unit, legend="list", calcs=(), fill=0, stack=False, bars=False, points=None,
          interval="30s", zones=False, around=None, width=2, gaps="10m", **more):
    """A time series. Lines go on over missing values for `gaps`; `zones` paints the thresholds behind them; `around` is what
    the axis shows at least."""
    custom = {"drawStyle": "bars" if bars else "line", "lineWidth": 0 if bars else width, "fillOpacity": 80 if bars else fill,
              "lineInterpolation": "linear", "showPoints": "never", "pointSize": 4, "spanNulls": False if bars else gap_ms(gaps),
              "gradientMode": "none", "axisLabel": "", "axisPlacement": "auto", "axisBorderShow": False,
              "stacking": {"mode": "normal" if stack else "none", "group": "A"},
              "thresholdsStyle": {"mode": "area" if zones else "off"},
              "scaleDistribution": {"type": "linear"},
              "hideFrom": {"legend": False, "tooltip": False, "viz": False}}
    if around:
        custom.update(axisSoftMin=around[0], axisSoftMax=around[1])
    if bars:
        custom.update(barAlignment=0, barWidthFactor=0.8)
        more.setdefault("min", 0)
    options = {"legend": {"displayMode": legend, "placement": "bottom", "showLegend": True, "calcs": list(calcs)},
               "tooltip": {"mode": "multi", "sort": "desc"}}
    return panel("timeseries", title, description, targets, options, unit=unit, custom=custom, points=points,
                 interval=interval, **{"color": {"mode": "palette-classic"}, **more})


def ratio_zones(measure):
    """How a ratio to normal is drawn: what is worth a look in orange, what is worth an alarm in red."""
    return {"unit": "percentunit", "zones": True, "around": (0.6, 1.2),
            "thresholds": steps(RED, (ALARM[measure], ORANGE), (LOOK[measure], "transparent"))}


def gap_ms(text):
    return int(text[:-1]) * {"s": 1000, "m": 60_000, "h": 3_600_000}[text[-1]]


def stat(title, description, targets, *, unit="short", mode="value", graph="none", text="auto", calc="lastNotNull", size=None,
         **more):
    """A big number. Mode `background` colours the whole panel."""
    options = {"reduceOptions": {"calcs": [calc], "fields": "", "values": False}, "colorMode": mode, "graphMode": graph,
               "textMode": text, "justifyMode": "center", "orientation": "auto", "wideLayout": True,
               "showPercentChange": False, "percentChangeColorMode": "standard"}
    if size:
        options["text"] = {"valueSize": size}
    return panel("stat", title, description, targets, options, unit=unit, **more)


def table(title, description, targets, columns, *, order=(), numbers=(), empty="nothing"):
    """A table out of instant queries. `columns` maps a field (label or `Value #X`) to (heading, properties); they stand in this
    order, all others are left out. `order`: (field, descending), the most important first; `numbers`: labels that are sorted
    as numbers."""
    organize = {"id": "organize", "options": {
        "excludeByName": {}, "includeByName": {name: True for name in columns},
        "indexByName": {name: i for i, name in enumerate(columns)},
        "renameByName": {name: heading for name, (heading, _) in columns.items()}}}
    merge = [{"id": "merge", "options": {}}] if len(targets) > 1 else []
    to_number = [{"id": "convertFieldType", "options": {"fields": {}, "conversions": [
        {"targetField": name, "destinationType": "number"} for name in numbers]}}] if numbers else []
    # Sorting keeps the order of equals, so the most important field comes last.
    sort = [{"id": "sortBy", "options": {"fields": {}, "sort": [{"field": name, "desc": descending}]}}
            for name, descending in reversed(order)]
    overrides = [override(heading, noValue="–", **{"mappings": MISSING, **properties}) for heading, properties in columns.values()]
    return panel("table", title, description, targets, {"showHeader": True, "cellHeight": "sm"}, overrides=overrides, empty=empty,
                 transformations=[*merge, *to_number, *sort, organize],
                 custom={"align": "auto", "cellOptions": {"type": "auto"}, "inspect": False, "filterable": False, "minWidth": 50})


PROBE_COLUMN = {"probe": ("Probe", {"custom__minWidth": 80})}
LEVEL_COLUMNS = {**PROBE_COLUMN, "concurrency": ("At once", {"custom__align": "right", "custom__width": 68})}
BY_LEVEL = {"order": (("probe", False), ("concurrency", False)), "numbers": ("concurrency",)}


def heatmap(title, description, buckets, *, unit="s", scheme="Oranges"):
    """A histogram over time; `buckets` is a _bucket metric with matchers. A column is wide enough for a slow probe to show."""
    target = series(f"sum by (le) (increase({buckets}[$__rate_interval]))", "{{le}}", format="heatmap")
    options = {"calculate": False, "cellGap": 1, "cellValues": {"unit": "short", "decimals": 0},
               "color": {"mode": "scheme", "scheme": scheme, "steps": 64, "fill": "dark-orange", "exponent": 0.5,
                         "reverse": False, "scale": "exponential"},
               "exemplars": {"color": "rgba(255,0,255,0.7)"}, "filterValues": {"le": 1e-9}, "legend": {"show": True},
               "rowsFrame": {"layout": "auto"}, "showValue": "never",
               "tooltip": {"mode": "single", "showColorScale": False, "yHistogram": False},
               "yAxis": {"axisPlacement": "left", "reverse": False, "unit": unit}}
    custom = {"hideFrom": {"legend": False, "tooltip": False, "viz": False}, "scaleDistribution": {"type": "linear"}}
    return panel("heatmap", title, description, [target], options, unit=unit, custom=custom, interval="1m", points=72)


def timeline(title, description, targets, mappings, *, show="never", points=120, **more):
    """Coloured bands of states."""
    options = {"mergeValues": True, "showValue": show, "alignValue": "left", "rowHeight": 0.85,
               "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
               "tooltip": {"mode": "single", "sort": "none"}}
    custom = {"fillOpacity": 85, "lineWidth": 0, "spanNulls": False,
              "hideFrom": {"legend": False, "tooltip": False, "viz": False}}
    return panel("state-timeline", title, description, targets, options, unit="none", custom=custom, mappings=mappings,
                 interval="30s", points=points, **more)


# The dashboard around them.

def query_variable(name, query, *, label=None, several=True, sort=1, description=""):
    result = {"type": "query", "name": name, "label": label or name, "description": description,
              "datasource": DATASOURCE, "query": {"query": query, "refId": f"variable-{name}", "qryType": 1},
              "definition": query, "refresh": 2, "sort": sort, "regex": "", "hide": 0, "skipUrlSync": False,
              "multi": several, "includeAll": several, "current": {}, "options": []}
    if several:
        result["allValue"] = ".+"
    return result


def custom_variable(name, choices, *, label=None, description=""):
    return {"type": "custom", "name": name, "label": label or name, "description": description, "query": ",".join(choices),
            "multi": False, "includeAll": False, "hide": 0, "skipUrlSync": False, "current": {},
            "options": [{"text": choice, "value": choice, "selected": False} for choice in choices]}


def variables(*, one_target=False, target=True, levels=True):
    """The variables of a dashboard: data source, job and instance of the agent, then what is looked at."""
    mine = TARGET if one_target else TARGETS
    result = [{"type": "datasource", "name": "datasource", "label": "Data source", "query": "prometheus", "regex": "",
               "refresh": 1, "hide": 0, "skipUrlSync": False, "multi": False, "includeAll": False, "current": {},
               "options": [], "description": "The Prometheus that scrapes the agents."},
              query_variable("job", "label_values(tokprobe_build_info, job)", description="The scrape job of the agents."),
              query_variable("instance", 'label_values(tokprobe_build_info{job=~"$job"}, instance)',
                             description="The agents.")]
    if target:
        result.append(query_variable("target", f"label_values(tokprobe_target_info{{{AGENT}}}, target)",
                                     several=not one_target, description="The servers that are watched."))
    if levels:
        result.append(query_variable("probe", f"label_values(tokprobe_probe_interval_seconds{{{mine}}}, probe)",
                                     description="What is asked of a server, and how often."))
        result.append(query_variable("concurrency", f"label_values(tokprobe_runs_total{{{mine}{PROBES}}}, concurrency)", sort=3,
                                     description="Requests at once."))
    return result


DASHBOARDS = {"fleet": "Fleet", "target": "Target", "before-after": "Before/after", "agent": "Agent"}


def uid(name):
    return f"tokprobe-{name}"


def top_links(name):
    """Links at the top: the other dashboards with the same variables and time, and the runbook."""
    def link(title, url, variables_too, icon):
        return {"title": title, "type": "link", "url": url, "icon": icon, "tooltip": "", "tags": [], "asDropdown": False,
                "includeVars": variables_too, "keepTime": variables_too, "targetBlank": not variables_too}
    others = [link(title, f"/d/{uid(other)}", True, "dashboard") for other, title in DASHBOARDS.items() if other != name]
    return others + [link("Runbook", RUNBOOK, False, "doc")]


def annotations(*more):
    own = {"builtIn": 1, "datasource": {"type": "grafana", "uid": "-- Grafana --"}, "enable": True, "hide": True,
           "iconColor": "rgba(0, 211, 255, 1)", "name": "Annotations & Alerts", "type": "dashboard"}
    return {"list": [own, *more]}


def annotation(name, expression, tint, title, text):
    return {"name": name, "datasource": DATASOURCE, "enable": True, "hide": False, "iconColor": tint, "expr": expression,
            "step": "60s", "titleFormat": title, "textFormat": text, "tagKeys": "", "useValueForTime": False}


def dashboard(name, description, since, variable_list, rows, marks=()):
    """`rows`: (title or None, lines); a line: (height, [(width, panel) ..])."""
    numbers = itertools.count(1)
    panels, y = [], 0
    for title, row_lines in rows:
        if title:
            panels.append({"id": next(numbers), "type": "row", "title": title, "collapsed": False, "panels": [],
                           "gridPos": {"h": 1, "w": 24, "x": 0, "y": y}})
            y += 1
        for height, line in row_lines:
            x = 0
            for width, one in line:
                panels.append({"id": next(numbers), **one, "gridPos": {"h": height, "w": width, "x": x, "y": y}})
                x += width
            assert x == 24, f"{name}: a line is {x} wide: {[one['title'] for _, one in line]}"
            y += height
    return {"uid": uid(name), "title": f"tokprobe / {DASHBOARDS[name]}", "description": description, "tags": [TAG],
            "schemaVersion": 39, "version": 1, "editable": False, "graphTooltip": 1, "refresh": "1m", "timezone": "browser",
            "weekStart": "", "fiscalYearStartMonth": 0, "liveNow": False, "time": {"from": since, "to": "now"},
            "timepicker": {}, "links": top_links(name), "annotations": annotations(*marks),
            "templating": {"list": variable_list}, "panels": panels}
