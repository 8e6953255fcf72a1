// Classic dashboard JSON (schemaVersion 39 and up) to a scene.
import {
  ConstantVariable,
  CustomVariable,
  DataSourceVariable,
  EmbeddedScene,
  IntervalVariable,
  QueryVariable,
  SceneControlsSpacer,
  SceneDataTransformer,
  SceneGridItem,
  SceneGridLayout,
  SceneGridRow,
  SceneQueryRunner,
  SceneRefreshPicker,
  SceneTimePicker,
  SceneTimeRange,
  SceneVariableSet,
  TextBoxVariable,
  VariableValueSelectors,
  VizPanel,
} from '@grafana/scenes';
import { FieldConfigProperty, getValueFormats, standardTransformersRegistry } from '@grafana/data';
import { customOptions, plugins } from './panels';
import { problem } from './report';

const VARIABLES = {
  datasource: (v, common) => new DataSourceVariable({ ...common, pluginId: v.query, regex: v.regex ?? '' }),
  query: (v, common) =>
    new QueryVariable({
      ...common,
      query: v.query,
      datasource: v.datasource ?? null,
      regex: v.regex ?? '',
      sort: v.sort ?? 0,
      refresh: v.refresh ?? 1,
    }),
  custom: (v, common) => new CustomVariable({ ...common, query: v.query }),
  interval: (v, common) =>
    new IntervalVariable({
      ...common,
      query: v.query,
      intervals: v.query.split(',').map((s) => s.trim()),
      autoEnabled: v.auto,
      autoStepCount: v.auto_count,
      autoMinInterval: v.auto_min,
    }),
  constant: (v, common) => new ConstantVariable({ ...common, value: v.query }),
  textbox: (v, common) => new TextBoxVariable({ ...common, value: v.current?.value ?? v.query }),
};

function variable(v) {
  const make = VARIABLES[v.type];
  if (!make) {
    problem(`variable ${v.name}`, `type "${v.type}" is not supported`);
    return null;
  }
  return make(v, {
    name: v.name,
    label: v.label,
    description: v.description,
    hide: v.hide ?? 0,
    isMulti: Boolean(v.multi),
    includeAll: Boolean(v.includeAll),
    allValue: v.allValue || undefined,
    defaultToAll: Boolean(v.includeAll),
    value: v.current?.value ?? '',
    text: v.current?.text ?? '',
  });
}

const STANDARD = new Set(Object.values(FieldConfigProperty));
const UNITS = new Set(getValueFormats().flatMap((c) => c.submenu.map((u) => u.value)));
function checkUnit(where, unit) {
  if (unit && !UNITS.has(unit) && !/^(prefix|suffix|time|si|count|currency|bool):/.test(unit)) {
    problem(where, `unit "${unit}" is none of Grafana's and would be shown as a plain suffix`);
  }
}

function checkPanel(p) {
  const where = `panel ${p.id} "${p.title ?? ''}"`;
  const known = plugins[p.type];
  if (!known) {
    problem(where, `type "${p.type}" cannot be drawn here`);
    return;
  }
  if (p.repeat) {
    problem(where, 'repeat is not supported');
  }
  checkUnit(where, p.fieldConfig?.defaults?.unit);
  for (const [key] of Object.entries(p.fieldConfig?.defaults?.custom ?? {})) {
    if (!(customOptions[p.type] ?? []).includes(key)) {
      problem(where, `fieldConfig.defaults.custom.${key} is unknown for ${p.type}`);
    }
  }
  for (const o of p.fieldConfig?.overrides ?? []) {
    for (const { id, value } of o.properties) {
      const top = id.startsWith('custom.') ? id.slice(7).split('.')[0] : null;
      if (top ? !(customOptions[p.type] ?? []).includes(top) : !STANDARD.has(id)) {
        problem(where, `override property "${id}" is unknown for ${p.type}`);
      }
      if (id === 'unit') {
        checkUnit(where, value);
      }
    }
  }
  for (const t of p.transformations ?? []) {
    if (!standardTransformersRegistry.getIfExists(t.id)) {
      problem(where, `transformation "${t.id}" is unknown`);
    }
  }
}

function panel(p) {
  checkPanel(p);
  const hasQuery = p.targets?.length > 0;
  const runner = hasQuery
    ? new SceneQueryRunner({
        datasource: p.datasource ?? p.targets[0].datasource,
        queries: p.targets.map((t) => ({ ...t })),
        minInterval: p.interval || undefined,
        maxDataPoints: p.maxDataPoints || undefined,
      })
    : undefined;
  const data =
    runner && p.transformations?.length
      ? new SceneDataTransformer({ $data: runner, transformations: p.transformations })
      : runner;
  return new VizPanel({
    key: `panel-${p.id}`,
    pluginId: p.type,
    title: p.title ?? '',
    description: p.description,
    options: p.options ?? {},
    fieldConfig: p.fieldConfig ?? { defaults: {}, overrides: [] },
    displayMode: p.transparent ? 'transparent' : 'default',
    $data: data,
  });
}

const place = ({ x, y, w, h }) => ({ x, y, width: w, height: h });
const item = (p) => new SceneGridItem({ key: `grid-${p.id}`, ...place(p.gridPos), body: panel(p) });

export function toScene(json) {
  if (!json.panels?.every((p) => p.gridPos)) {
    problem('dashboard', 'a panel has no gridPos (or the file is not classic JSON)');
    json.panels = (json.panels ?? []).filter((p) => p.gridPos);
  }
  const children = [];
  let row = null;
  const addRow = (p, inner) => {
    if (p.repeat) {
      problem(`row "${p.title}"`, 'repeat is not supported');
    }
    row = new SceneGridRow({
      key: `row-${p.id}`,
      title: p.title,
      y: p.gridPos.y,
      isCollapsed: false,
      children: inner.map(item),
    });
    children.push(row);
  };
  for (const p of [...json.panels].sort((a, b) => a.gridPos.y - b.gridPos.y || a.gridPos.x - b.gridPos.x)) {
    if (p.type === 'row') {
      // A collapsed row keeps its panels inside; open it, so that they are drawn too.
      addRow(p, p.collapsed ? (p.panels ?? []) : []);
    } else if (row) {
      row.setState({ children: [...row.state.children, item(p)] });
    } else {
      children.push(item(p));
    }
  }
  return new EmbeddedScene({
    $timeRange: new SceneTimeRange({
      from: json.time?.from ?? 'now-1h',
      to: json.time?.to ?? 'now',
      timeZone: json.timezone || 'browser',
    }),
    $variables: new SceneVariableSet({ variables: (json.templating?.list ?? []).map(variable).filter(Boolean) }),
    controls: [
      new VariableValueSelectors({}),
      new SceneControlsSpacer(),
      new SceneTimePicker({}),
      new SceneRefreshPicker({ refresh: json.refresh || '' }),
    ],
    body: new SceneGridLayout({ isDraggable: false, isResizable: false, isLazy: false, children }),
  });
}
