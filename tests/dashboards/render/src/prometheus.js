import { FieldType, rangeUtil } from '@grafana/data';
import { RuntimeDataSource, sceneGraph } from '@grafana/scenes';
import { from } from 'rxjs';
import { report } from './report';

const API = '/prom/api/v1';

export async function get(path, params) {
  const res = await fetch(`${API}/${path}?${new URLSearchParams(params)}`);
  const body = await res.json();
  if (body.status !== 'success') {
    throw new Error(`${body.errorType}: ${body.error}`);
  }
  return body.data;
}

// The data source: asks the test's Prometheus through the page's own server, as Grafana's plugin does.

// Values put into a PromQL string: several (or "All") become an escaped regex group, one value is only string-escaped.
const escapeString = (v) => String(v).replace(/\\/g, '\\\\').replace(/"/g, '\\"');
const escapeRegex = (v) => String(v).replace(/[.*+?^${}()|[\]\\]/g, '\\\\$&');
export function promFormat(value, variable) {
  const many = variable?.multi || variable?.includeAll;
  if (Array.isArray(value)) {
    const all = value.map(escapeRegex);
    return all.length === 1 ? all[0] : `(${all.join('|')})`;
  }
  return many ? escapeRegex(value) : escapeString(value);
}

function interpolate(text, scopedVars) {
  const scene = scopedVars?.__sceneObject?.value?.valueOf();
  return scene ? sceneGraph.interpolate(scene, text, scopedVars, promFormat) : text;
}

// Label text of one series: the legend template, or name{labels}.
function seriesName(template, metric, expr) {
  if (template && template !== '__auto') {
    return template.replace(/\{\{\s*([\w.]+)\s*\}\}/g, (_, label) => metric[label] ?? '');
  }
  const { __name__: name = '', ...labels } = metric;
  const pairs = Object.entries(labels).map(([k, v]) => `${k}="${v}"`);
  return pairs.length ? `${name}{${pairs.join(', ')}}` : name || expr;
}

const num = (text) => (text === '+Inf' ? Infinity : text === '-Inf' ? -Infinity : Number(text));
const timeField = (values, stepMs) => ({
  name: 'Time',
  type: FieldType.time,
  values,
  config: stepMs ? { interval: stepMs } : {},
});

function asSeries(result, target, expr, stepMs) {
  return result.map(({ metric, values, value }) => {
    const points = values ?? [value];
    const { __name__, ...labels } = metric;
    return {
      refId: target.refId,
      meta: { type: 'timeseries-multi', executedQueryString: expr },
      length: points.length,
      fields: [
        timeField(
          points.map(([t]) => t * 1000),
          stepMs,
        ),
        {
          name: 'Value',
          type: FieldType.number,
          labels,
          values: points.map(([, v]) => num(v)),
          config: { displayNameFromDS: seriesName(target.legendFormat, metric, expr) },
        },
      ],
    };
  });
}

function asTable(result, target, valueName) {
  // Nothing is no frame, as in Grafana: a frame without labels would spoil a merge.
  if (!result.length) {
    return [];
  }
  const labels = [...new Set(result.flatMap((r) => Object.keys(r.metric)))].sort();
  const rows = result.flatMap((r) =>
    (r.values ?? [r.value]).map(([t, v]) => ({ t: t * 1000, v: num(v), m: r.metric })),
  );
  return [
    {
      refId: target.refId,
      length: rows.length,
      fields: [
        timeField(rows.map((r) => r.t)),
        ...labels.map((l) => ({
          name: l,
          type: FieldType.string,
          config: { filterable: true },
          values: rows.map((r) => r.m[l] ?? ''),
        })),
        { name: valueName, type: FieldType.number, config: {}, values: rows.map((r) => r.v) },
      ],
    },
  ];
}

// Prometheus histogram buckets count everything up to `le`; a heatmap wants the count between neighbours.
function asHeatmap(result, target, expr, stepMs) {
  const sorted = [...result].sort((a, b) => num(a.metric.le) - num(b.metric.le));
  const frames = asSeries(
    sorted,
    {
      ...target,
      legendFormat: target.legendFormat && target.legendFormat !== '__auto' ? target.legendFormat : '{{le}}',
    },
    expr,
    stepMs,
  );
  const at = frames.map((f) => new Map(f.fields[0].values.map((t, i) => [t, f.fields[1].values[i]])));
  frames.forEach((f, i) => {
    if (i > 0) {
      f.fields[1].values = f.fields[0].values.map((t, j) => Math.max(0, at[i].get(t) - (at[i - 1].get(t) ?? 0)));
    }
    f.fields[1].name = sorted[i].metric.le ?? f.fields[1].config.displayNameFromDS;
  });
  return frames;
}

export class PrometheusSource extends RuntimeDataSource {
  constructor(uid, scrapeMs) {
    super('prometheus', uid);
    this.scrapeMs = scrapeMs;
    this.interval = `${scrapeMs}ms`;
  }

  query(request) {
    return from(this.run(request));
  }

  async run(request) {
    const live = request.targets.filter((t) => !t.hide && t.expr);
    const tables = live.filter((t) => t.format === 'table').length;
    const answers = await Promise.all(
      live.map(async (t) => {
        const min = t.interval ? rangeUtil.intervalToMs(interpolate(t.interval, request.scopedVars)) : 0;
        const stepMs = Math.max(request.intervalMs, min, 1000);
        const start = Math.floor(request.range.from.valueOf() / stepMs) * stepMs;
        const end = Math.floor(request.range.to.valueOf() / stepMs) * stepMs;
        const rangeS = Math.round((end - start) / 1000);
        const rate = Math.max(stepMs + (min || this.scrapeMs), 4 * (min || this.scrapeMs));
        const v = (value) => ({ text: String(value), value });
        const scoped = {
          ...request.scopedVars,
          __interval: v(`${stepMs / 1000}s`),
          __interval_ms: v(stepMs),
          __rate_interval: v(`${rate / 1000}s`),
          __range: v(`${rangeS}s`),
          __range_s: v(rangeS),
          __range_ms: v(rangeS * 1000),
        };
        const expr = interpolate(t.expr, scoped);
        const entry = { panelId: request.panelId, refId: t.refId, expr, series: 0, error: null };
        report.queries.push(entry);
        try {
          const { result, resultType } = t.instant
            ? await get('query', { query: expr, time: request.range.to.valueOf() / 1000 })
            : await get('query_range', { query: expr, start: start / 1000, end: end / 1000, step: stepMs / 1000 });
          const rows = resultType === 'scalar' ? [{ metric: {}, value: result }] : result;
          entry.series = rows.length;
          if (t.format === 'table') {
            return { data: asTable(rows, t, tables > 1 ? `Value #${t.refId}` : 'Value') };
          }
          if (t.format === 'heatmap') {
            return { data: asHeatmap(rows, t, expr, stepMs) };
          }
          return { data: asSeries(rows, t, expr, t.instant ? undefined : stepMs) };
        } catch (e) {
          entry.error = e.message;
          return { data: [], error: { refId: t.refId, message: e.message } };
        }
      }),
    );
    const errors = answers.map((a) => a.error).filter(Boolean);
    return { data: answers.flatMap((a) => a.data), errors: errors.length ? errors : undefined, error: errors[0] };
  }

  async metricFindQuery(query, options) {
    const text = interpolate(typeof query === 'string' ? query : query.query, options?.scopedVars).trim();
    const range = { start: options.range.from.valueOf() / 1000, end: options.range.to.valueOf() / 1000 };
    const asValues = (list) => list.map((s) => ({ text: String(s) }));
    let m;
    if ((m = /^label_values\((?:(.+),)?\s*([\w.]+)\s*\)$/s.exec(text))) {
      return asValues(await get(`label/${m[2]}/values`, m[1] ? { ...range, 'match[]': m[1].trim() } : range));
    }
    if ((m = /^label_names\((.*)\)$/s.exec(text))) {
      return asValues(await get('labels', m[1] ? { ...range, 'match[]': m[1] } : range));
    }
    if ((m = /^metrics\((.*)\)$/s.exec(text))) {
      const re = new RegExp(m[1]);
      return asValues((await get('label/__name__/values', range)).filter((n) => re.test(n)));
    }
    if ((m = /^query_result\((.+)\)$/s.exec(text))) {
      const { result } = await get('query', { query: m[1], time: range.end });
      return result.map((r) => ({ text: `${seriesName('', r.metric, '')} ${r.value[1]} ${r.value[0] * 1000}` }));
    }
    throw new Error(`variable query not understood: ${text}`);
  }
}
