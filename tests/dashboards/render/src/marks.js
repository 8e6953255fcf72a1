// The annotations of the dashboard, as times with a colour; found once, drawn in every time series.
import { sceneGraph } from '@grafana/scenes';
import { get, promFormat } from './prometheus';
import { problem, report } from './report';

export const marks = [];

export async function findMarks(json, scene, theme) {
  const range = sceneGraph.getTimeRange(scene).state.value;
  const start = range.from.valueOf() / 1000,
    end = range.to.valueOf() / 1000,
    step = Math.max(1, (end - start) / 600);
  for (const a of json.annotations?.list ?? []) {
    if (a.builtIn || !a.enable) {
      continue;
    }
    const expr = sceneGraph.interpolate(scene, a.expr, undefined, promFormat);
    try {
      const { result } = await get('query_range', { query: expr, start, end, step });
      report.annotations.push({ name: a.name, expr, series: result.length });
      for (const { values } of result) {
        values
          .filter(([t], i) => i === 0 || t - values[i - 1][0] > 2 * step)
          .forEach(([t]) => marks.push({ time: t * 1000, color: theme.visualization.getColorByName(a.iconColor) }));
      }
    } catch (e) {
      problem(`annotation ${a.name}`, e.message);
    }
  }
}
