// Writes JSON schemas of Grafana's own types (the foundation SDK's) to schemas/, for check.mjs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createGenerator } from 'ts-json-schema-generator';

const SDK = '../node_modules/@grafana/grafana-foundation-sdk/dist';
const TYPES = {
  dashboard: ['Dashboard', 'Panel', 'RowPanel', 'VariableModel'],
  common: ['GraphFieldConfig', 'TableFieldOptions'],
  timeseries: ['Options'],
  stat: ['Options'],
  table: ['Options'],
  heatmap: ['Options', 'FieldConfig'],
  statetimeline: ['Options', 'FieldConfig'],
  prometheus: ['Dataquery'],
};

mkdirSync('schemas', { recursive: true });
for (const [module, types] of Object.entries(TYPES)) {
  for (const type of types) {
    const generator = createGenerator({
      path: `${SDK}/${module}/types.gen.d.ts`,
      type,
      additionalProperties: false,
      skipTypeCheck: true,
      topRef: true,
      expose: 'all',
      tsconfig: 'tsconfig.json',
    });
    writeFileSync(`schemas/${module}.${type}.json`, JSON.stringify(generator.createSchema(type)));
  }
}
