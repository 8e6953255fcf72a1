// node check.mjs DASHBOARD.json ..: every key and value against Grafana's own types; exits 1 on any problem.
// Grafana fills in defaults, so what the types call required is optional in a file.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import Ajv from 'ajv';

const ajv = new Ajv({ allErrors: true, strict: false });
const here = new URL('schemas/', import.meta.url);
const cache = {};
const validator = (name) =>
  (cache[name] ??= ajv.compile(
    JSON.parse(readFileSync(new URL(`${name}.json`, here)), (key, value) => (key === 'required' ? undefined : value)),
  ));

// Panel type -> types of its options and of its own field properties.
const PANELS = {
  timeseries: ['timeseries.Options', 'common.GraphFieldConfig'],
  stat: ['stat.Options'],
  table: ['table.Options', 'common.TableFieldOptions'],
  heatmap: ['heatmap.Options', 'heatmap.FieldConfig'],
  'state-timeline': ['statetimeline.Options', 'statetimeline.FieldConfig'],
};

function problems(file) {
  const found = new Set();
  const check = (where, type, data) => {
    const validate = validator(type);
    if (!validate(data)) {
      validate.errors.forEach((e) => found.add(`${where}${e.instancePath}: ${e.message} ${JSON.stringify(e.params)}`));
    }
  };
  const { panels, templating, ...rest } = JSON.parse(readFileSync(file));
  check('dashboard', 'dashboard.Dashboard', { ...rest, templating: {}, panels: [] });
  templating.list.forEach((v) => check(`variable ${v.name}`, 'dashboard.VariableModel', v));
  for (const panel of panels) {
    const where = `panel ${panel.id} "${panel.title}"`;
    if (panel.type === 'row') {
      check(where, 'dashboard.RowPanel', panel);
      continue;
    }
    if (!PANELS[panel.type]) {
      found.add(`${where}: type ${panel.type} is not known here`);
      continue;
    }
    const { targets, options, ...others } = panel;
    const [optionType, fieldType] = PANELS[panel.type];
    check(where, 'dashboard.Panel', others);
    check(`${where} options`, optionType, options);
    if (fieldType) {
      check(`${where} custom`, fieldType, panel.fieldConfig.defaults.custom);
    }
    targets.forEach((t) => check(`${where} query ${t.refId}`, 'prometheus.Dataquery', t));
  }
  return found;
}

let bad = 0;
for (const file of process.argv.slice(2)) {
  const found = problems(file);
  bad += found.size;
  found.forEach((line) => console.log(`${basename(file)}: ${line.slice(0, 300)}`));
}
console.log(`${bad} problems`);
process.exit(bad ? 1 : 0);
