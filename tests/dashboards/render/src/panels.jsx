// The panel types that a dashboard may use. Grafana publishes the components for time series, stat and table; heatmap and state
// timeline are drawn by drawn.jsx.
import React from 'react';
import {
  FieldType,
  PanelPlugin,
  VizOrientation,
  cacheFieldDisplayNames,
  getDisplayValueAlignmentFactors,
  getFieldDisplayValues,
} from '@grafana/data';
import { BigValue, TimeSeries, VizRepeater, useTheme2 } from '@grafana/ui';
import { TableNG } from '@grafana/ui/unstable';
import { HeatmapPanel, NoData, StateTimelinePanel, isEmpty } from './drawn';
import { marks } from './marks';
import { customOption } from './runtime';

const LEGEND = { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] };

// Scales break on NaN and infinities (a quantile of nothing is NaN): gaps, as in Grafana.
const finite = (frame) => ({
  ...frame,
  fields: frame.fields.map((f) =>
    f.type === FieldType.number ? { ...f, values: f.values.map((v) => (Number.isFinite(v) ? v : null)) } : f,
  ),
});

// Annotations: a dashed line from top to bottom, as Grafana's own plugin draws them.
function Marks({ config }) {
  React.useLayoutEffect(() => {
    config.addHook('draw', (u) => {
      const { ctx } = u;
      ctx.save();
      for (const { time, color } of marks) {
        const x = Math.round(u.valToPos(time, 'x', true));
        if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) {
          continue;
        }
        ctx.strokeStyle = color;
        ctx.fillStyle = color;
        ctx.lineWidth = 2;
        ctx.setLineDash([4, 4]);
        ctx.beginPath();
        ctx.moveTo(x, u.bbox.top);
        ctx.lineTo(x, u.bbox.top + u.bbox.height);
        ctx.stroke();
        ctx.fillRect(x - 4, u.bbox.top + u.bbox.height, 8, 4);
      }
      ctx.restore();
    });
  }, [config]);
  return null;
}

// Marks are found after the first drawing: then all is drawn anew.
function useMarks() {
  const [round, setRound] = React.useState(0);
  React.useEffect(() => {
    const again = () => setRound((n) => n + 1);
    window.addEventListener('marks', again);
    return () => window.removeEventListener('marks', again);
  }, []);
  return round;
}

function TimeSeriesPanel(props) {
  const { data, width, height, timeRange, timeZone, options } = props;
  const frames = React.useMemo(() => data.series.map(finite), [data.series]);
  const round = useMarks();
  if (isEmpty(data)) {
    return <NoData {...props} />;
  }
  return (
    <TimeSeries
      key={round}
      frames={frames}
      structureRev={data.structureRev}
      width={width}
      height={height}
      timeRange={timeRange}
      timeZone={timeZone}
      legend={{ ...LEGEND, ...options.legend }}
      options={options}
    >
      {(config) => <Marks config={config} />}
    </TimeSeries>
  );
}

function StatPanel(props) {
  const theme = useTheme2();
  const { data, options, fieldConfig, replaceVariables, timeZone, width, height, renderCounter } = props;
  const values = getFieldDisplayValues({
    fieldConfig,
    reduceOptions: options.reduceOptions,
    replaceVariables,
    theme,
    data: data.series,
    timeZone,
    sparkline: true,
  });
  if (!values.length || !data.series.some((f) => f.length)) {
    return <NoData {...props} />;
  }
  return (
    <VizRepeater
      source={data}
      getValues={() => values}
      getAlignmentFactors={(v) => getDisplayValueAlignmentFactors(v)}
      width={width}
      height={height}
      renderCounter={renderCounter}
      autoGrid
      itemSpacing={8}
      orientation={options.orientation ?? VizOrientation.Auto}
      renderValue={({ value, width: w, height: h, count, alignmentFactors }) => (
        <BigValue
          value={value.display}
          width={w}
          height={h}
          theme={theme}
          count={count}
          alignmentFactors={alignmentFactors}
          sparkline={options.graphMode === 'none' ? undefined : value.sparkline}
          colorMode={options.colorMode}
          graphMode={options.graphMode}
          justifyMode={options.justifyMode}
          textMode={options.textMode}
          text={options.text}
        />
      )}
    />
  );
}

function TablePanel(props) {
  const { data, width, height, options, fieldConfig, timeRange } = props;
  if (!data.series.length || !data.series[0].length) {
    return <NoData {...props} />;
  }
  cacheFieldDisplayNames(data.series);
  return (
    <TableNG
      data={data.series[0]}
      width={width}
      height={height}
      noHeader={options.showHeader === false}
      initialSortBy={options.sortBy}
      cellHeight={options.cellHeight}
      timeRange={timeRange}
      fieldConfig={fieldConfig}
      enablePagination={options.enablePagination}
    />
  );
}

// The properties that a field has in each type of panel, and what they are when the dashboard does not say.
export const customOptions = {
  timeseries: [
    'drawStyle',
    'lineInterpolation',
    'lineWidth',
    'fillOpacity',
    'gradientMode',
    'lineStyle',
    'spanNulls',
    'insertNulls',
    'showPoints',
    'pointSize',
    'stacking',
    'axisPlacement',
    'axisLabel',
    'axisWidth',
    'axisSoftMin',
    'axisSoftMax',
    'axisGridShow',
    'axisCenteredZero',
    'axisColorMode',
    'axisBorderShow',
    'scaleDistribution',
    'barAlignment',
    'barWidthFactor',
    'barMaxWidth',
    'hideFrom',
    'thresholdsStyle',
    'transform',
    'fillBelowTo',
  ],
  table: [
    'align',
    'cellOptions',
    'width',
    'minWidth',
    'hidden',
    'inspect',
    'filterable',
    'wrapText',
    'wrapHeaderText',
    'hideFrom',
  ],
  'state-timeline': ['lineWidth', 'fillOpacity', 'spanNulls', 'insertNulls', 'hideFrom', 'axisPlacement'],
  heatmap: ['hideFrom', 'scaleDistribution'],
  stat: [],
};
const DEFAULTS = {
  timeseries: {
    drawStyle: 'line',
    lineInterpolation: 'linear',
    lineWidth: 1,
    fillOpacity: 0,
    gradientMode: 'none',
    showPoints: 'auto',
    pointSize: 5,
    barAlignment: 0,
    barWidthFactor: 0.6,
    axisPlacement: 'auto',
    axisLabel: '',
    axisColorMode: 'text',
    spanNulls: false,
    stacking: { mode: 'none', group: 'A' },
    thresholdsStyle: { mode: 'off' },
    scaleDistribution: { type: 'linear' },
    hideFrom: { viz: false, legend: false, tooltip: false },
  },
  table: { align: 'auto', cellOptions: { type: 'auto' } },
};

const make = (id, component) =>
  new PanelPlugin(component).useFieldConfig({
    standardOptions: { color: { defaultValue: { mode: id === 'timeseries' ? 'palette-classic' : 'thresholds' } } },
    useCustomConfig: (b) =>
      customOptions[id].forEach((path) =>
        b.addCustomEditor({ ...customOption(path), defaultValue: DEFAULTS[id]?.[path] }),
      ),
  });

const COMPONENTS = {
  timeseries: TimeSeriesPanel,
  stat: StatPanel,
  table: TablePanel,
  heatmap: HeatmapPanel,
  'state-timeline': StateTimelinePanel,
};
export const plugins = Object.fromEntries(
  Object.entries(COMPONENTS).map(([id, component]) => [id, make(id, component)]),
);
