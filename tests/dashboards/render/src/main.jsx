import './boot';
import '@fontsource/inter/400.css';
import '@fontsource/inter/500.css';
import React from 'react';
import { createRoot } from 'react-dom/client';
import { LoadingState, PanelPlugin, ThemeContext, createTheme } from '@grafana/data';
import { GlobalStyles, PortalContainer } from '@grafana/ui';
import { config } from '@grafana/runtime';
import { SceneQueryRunner, VizPanel, sceneGraph, sceneUtils } from '@grafana/scenes';
import { toScene } from './convert';
import { findMarks } from './marks';
import { plugins } from './panels';
import { PrometheusSource } from './prometheus';
import { problem, report } from './report';
import { startRuntime } from './runtime';

// ?theme=dark|light &scrapeMs=15000 &from=now-1h &to=now &var-NAME=VALUE
const params = new URLSearchParams(location.search);
const theme = createTheme({ colors: { mode: params.get('theme') === 'light' ? 'light' : 'dark' } });

config.theme2 = theme;

window.addEventListener('error', (e) => problem('page', e.message));
window.addEventListener('unhandledrejection', (e) => problem('page', String(e.reason?.message ?? e.reason)));

function unsupported(id) {
  const plugin = new PanelPlugin(() => <div data-unsupported={id}>Panel type {id} cannot be drawn here</div>);
  plugin.meta = { id, name: id, info: { version: '' }, skipDataQuery: true };
  return plugin;
}

const runners = (scene) => sceneGraph.findAllObjects(scene, (o) => o instanceof SceneQueryRunner);
const settled = (data) => [LoadingState.Done, LoadingState.Error].includes(data?.state);
const pause = (ms) => new Promise((r) => setTimeout(r, ms));

// Text that does not fit into its cell or title.
function clipped(el) {
  const cells = [...(el?.querySelectorAll('[role=gridcell],[role=columnheader]') ?? [])].filter((cell) => {
    const text = document.createRange();
    text.selectNodeContents(cell);
    const inner = text.getBoundingClientRect(),
      outer = cell.getBoundingClientRect();
    return inner.width > 0 && (inner.left < outer.left - 1 || inner.right > outer.right + 1);
  });
  const titles = [
    ...(el?.querySelectorAll('[data-testid*="header-container"] h2,[data-testid*="header-container"] h6') ?? []),
  ].filter((title) => title.scrollWidth > title.clientWidth + 1);
  return [...cells, ...titles].map((x) => x.innerText.trim());
}
const scrolls = (el) =>
  [...(el?.querySelectorAll('[role=grid]') ?? [])].some((grid) => grid.scrollWidth > grid.clientWidth + 1);

function describe(panel) {
  const { key, pluginId, fieldConfig, $data } = panel.state;
  const data = $data?.state.data;
  const el = document.querySelector(`[data-viz-panel-key="${key}"]`);
  return {
    key,
    title: panel.interpolate(panel.state.title),
    type: pluginId,
    state: data?.state ?? 'none',
    frames: data?.series.length ?? 0,
    points: data?.series.reduce((n, f) => n + f.length, 0) ?? 0,
    noValue: fieldConfig.defaults.noValue ?? null,
    noData: Boolean(data) && !data.series.some((f) => f.length),
    drawn: Boolean(el?.querySelector('canvas,svg,[role=table],[role=grid],span,[data-nodata]')),
    text: el?.innerText.replace(/\s+/g, ' ').slice(0, 200),
    clipped: [...new Set(clipped(el))],
    scrolls: scrolls(el),
    links: [...(el?.querySelectorAll('[role=gridcell] a') ?? [])].map((a) => a.getAttribute('href')),
    errors: (data?.errors ?? (data?.error ? [data.error] : [])).map(
      (e) => `query ${e.refId ?? ''} failed: ${e.message}`,
    ),
    alert: el?.querySelector('[role=alert],[aria-label="Alert error"]')?.innerText ?? null,
  };
}

function snapshot(scene) {
  for (const v of sceneGraph.getVariables(scene).state.variables) {
    if (v.state.error) {
      problem(`variable ${v.state.name}`, String(v.state.error));
    }
    report.variables[v.state.name] = {
      value: String(v.getValueText?.() ?? v.getValue()),
      options: v.state.options?.map((o) => o.value),
    };
  }
  for (const panel of sceneGraph.findAllObjects(scene, (o) => o instanceof VizPanel)) {
    const entry = describe(panel),
      where = `panel ${entry.key} "${entry.title}"`;
    entry.errors.forEach((e) => problem(where, e));
    entry.clipped.forEach((text) => problem(where, `"${text}" does not fit`));
    if (entry.scrolls) {
      problem(where, 'the table is wider than its panel');
    }
    if (entry.alert) {
      problem(where, entry.alert);
    }
    report.panels.push(entry);
  }
}

// Title and links, which Grafana shows above a dashboard.
const Head = ({ json }) => (
  <div
    style={{
      display: 'flex',
      gap: 20,
      alignItems: 'baseline',
      padding: '14px 16px 0',
      color: theme.colors.text.primary,
    }}
  >
    <span style={{ fontSize: 20, fontWeight: 500 }}>{json.title}</span>
    <span style={{ color: theme.colors.text.secondary, flex: 1 }}>{json.description}</span>
    {json.links.map((l) => (
      <a key={l.title} href={l.url} style={{ color: theme.colors.text.link }}>
        {l.title}
      </a>
    ))}
  </div>
);

async function main() {
  const json = await (await fetch('/dashboard.json')).json();
  report.title = json.title;
  json.time = { from: params.get('from') ?? json.time.from, to: params.get('to') ?? json.time.to };
  for (const v of json.templating.list) {
    const value = params.get(`var-${v.name}`);
    if (value && v.type === 'custom' && !v.query.split(',').includes(value)) {
      v.query += `,${value}`;
    }
    if (value) {
      v.current = { text: value, value };
    }
  }
  const source = new PrometheusSource('test-prometheus', Number(params.get('scrapeMs') ?? 15000));
  const settings = {
    ...source.instanceSettings,
    name: 'Prometheus',
    uid: source.uid,
    type: 'prometheus',
    meta: source.meta,
    isDefault: true,
  };
  await startRuntime(source, [settings], unsupported);
  for (const [pluginId, plugin] of Object.entries(plugins)) {
    sceneUtils.registerRuntimePanelPlugin({ pluginId, plugin });
  }
  const scene = toScene(json);
  const show = () =>
    root.render(
      <ThemeContext.Provider value={theme}>
        <GlobalStyles />
        <PortalContainer />
        <div style={{ background: theme.colors.background.canvas }}>
          <Head json={json} />
          <scene.Component model={scene} />
        </div>
      </ThemeContext.Provider>,
    );
  const root = createRoot(document.getElementById('root'));
  show();
  const until = Date.now() + 30000;
  while (Date.now() < until && !runners(scene).every((r) => settled(r.state.data))) {
    await pause(100);
  }
  for (const r of runners(scene).filter((x) => !settled(x.state.data))) {
    problem(r.parent?.state.key ?? 'panel', 'queries never finished');
  }
  await findMarks(json, scene, theme);
  await document.fonts.ready;
  // Drawn again, now with the marks and the right font.
  window.dispatchEvent(new Event('marks'));
  await pause(700);
  snapshot(scene);
  report.done = true;
}
main().catch((e) => {
  problem('page', e.stack ?? String(e));
  report.done = true;
});
