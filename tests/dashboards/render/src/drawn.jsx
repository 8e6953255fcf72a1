// Heatmap and state timeline, which Grafana does not publish as components: our own drawings with the same inputs and colours.
import React from 'react';
import { FieldType, formattedValueToString, getFieldDisplayName, getValueFormat } from '@grafana/data';
import { useTheme2 } from '@grafana/ui';
import * as chromatic from 'd3-scale-chromatic';

const BOTTOM = 20;
const center = {
  display: 'flex',
  alignItems: 'center',
  justifyContent: 'center',
  width: '100%',
  height: '100%',
  opacity: 0.7,
  fontSize: 16,
};

export const NoData = ({ fieldConfig }) => (
  <div style={center} data-nodata="1">
    {fieldConfig?.defaults?.noValue ?? 'No data'}
  </div>
);
export const isEmpty = (data) =>
  !data.series.some((f) => f.fields.some((x) => x.type !== FieldType.time && x.values.length));

const rowsOf = (data) =>
  data.series.flatMap((frame) => {
    const time = frame.fields.find((f) => f.type === FieldType.time);
    return time
      ? frame.fields
          .filter((f) => f !== time)
          .map((field) => ({ field, frame, times: time.values, step: time.config.interval }))
      : [];
  });

const two = (n) => String(n).padStart(2, '0');
function clock(ms, seconds) {
  const d = new Date(ms);
  return `${two(d.getHours())}:${two(d.getMinutes())}${seconds ? `:${two(d.getSeconds())}` : ''}`;
}

// Round times below the picture, as many as there is room for.
function TimeAxis({ timeRange, x, left, width, y, fill }) {
  const from = timeRange.from.valueOf(),
    to = timeRange.to.valueOf();
  const room = (to - from) / Math.max(2, (width - left) / 90);
  const step =
    [10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400]
      .map((s) => s * 1000)
      .find((s) => s >= room) ?? room;
  const times = [];
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
    times.push(t);
  }
  return times
    .filter((t) => x(t) > left + 16 && x(t) < width - 16)
    .map((t) => (
      <text key={t} x={x(t)} y={y} fill={fill} fontSize={12} textAnchor="middle">
        {clock(t, step < 60000)}
      </text>
    ));
}

export function StateTimelinePanel(props) {
  const { data, width, height, timeRange, options } = props;
  const theme = useTheme2();
  if (isEmpty(data)) {
    return <NoData {...props} />;
  }
  const rows = rowsOf(data),
    names = rows.map(({ field, frame }) => getFieldDisplayName(field, frame, data.series));
  const left = Math.min(width / 3, 16 + 7 * Math.max(...names.map((n) => n.length)));
  const from = timeRange.from.valueOf(),
    to = timeRange.to.valueOf();
  const x = (t) => left + ((Math.min(Math.max(t, from), to) - from) / (to - from)) * (width - left);
  const legend = new Map();
  const h = (height - BOTTOM - 24) / rows.length;
  const bands = rows.map(({ field, times, step }) => {
    const spans = [];
    times.forEach((t, i) => {
      const shown = field.display(field.values[i]),
        text = formattedValueToString(shown),
        last = spans.at(-1);
      legend.set(text, shown.color);
      const end = t + (step ?? 1000);
      if (last && last.text === text && last.end >= t - 1) {
        last.end = end;
      } else {
        spans.push({ text, color: shown.color, start: t, end });
      }
    });
    return spans;
  });
  return (
    <svg width={width} height={height} data-state-timeline="1">
      {bands.map((spans, r) => (
        <g key={names[r]}>
          <text
            x={left - 10}
            y={(r + 0.5) * h}
            fill={theme.colors.text.primary}
            fontSize={12}
            textAnchor="end"
            dominantBaseline="middle"
          >
            {names[r]}
          </text>
          {spans.map((s) => (
            <rect
              key={s.start}
              x={x(s.start)}
              y={r * h + (h * (1 - options.rowHeight)) / 2}
              width={Math.max(1, x(s.end) - x(s.start))}
              height={h * options.rowHeight}
              fill={s.color}
              fillOpacity={(rows[r].field.config.custom?.fillOpacity ?? 70) / 100}
            />
          ))}
        </g>
      ))}
      <TimeAxis
        timeRange={timeRange}
        x={x}
        left={left}
        width={width}
        y={height - BOTTOM - 8}
        fill={theme.colors.text.secondary}
      />
      {[...legend].map(([text, color], i) => (
        <g key={text} transform={`translate(${left + i * 90} ${height - 8})`}>
          <rect y={-5} width={14} height={4} rx={2} fill={color} />
          <text x={20} fontSize={12} fill={theme.colors.text.primary}>
            {text}
          </text>
        </g>
      ))}
    </svg>
  );
}

// Grafana turns a scheme around in the dark theme, so that few is dark there and light in the light theme.
const paint = (scheme, dark) => (share) => chromatic[`interpolate${scheme}`](dark ? 1 - share : share);

export function HeatmapPanel(props) {
  const { data, width, height, timeRange, options } = props;
  const theme = useTheme2();
  if (isEmpty(data)) {
    return <NoData {...props} />;
  }
  const rows = rowsOf(data),
    left = 58,
    bottom = BOTTOM + 22,
    top = 6;
  const from = timeRange.from.valueOf(),
    to = timeRange.to.valueOf();
  const x = (t) => left + ((t - from) / (to - from)) * (width - left);
  const h = (height - bottom - top) / rows.length,
    y = (r) => height - bottom - r * h;
  const max = Math.max(1e-9, ...rows.flatMap((r) => r.field.values.filter(Number.isFinite)));
  const color = paint(options.color.scheme, theme.isDark),
    share = (v) => (v / max) ** options.color.exponent;
  const format = getValueFormat(options.yAxis.unit);
  const edge = (r) => {
    const n = Number(rows[r].field.name);
    return Number.isFinite(n) ? formattedValueToString(format(n)) : '+Inf';
  };
  const every = Math.ceil(16 / h);
  return (
    <svg width={width} height={height} data-heatmap="1">
      {rows.map(({ field, times, step = 1000 }, r) => (
        <g key={field.name}>
          {(rows.length - 1 - r) % every === 0 && (
            <text
              x={left - 8}
              y={y(r + 1)}
              fill={theme.colors.text.secondary}
              fontSize={12}
              textAnchor="end"
              dominantBaseline="middle"
            >
              {edge(r)}
            </text>
          )}
          {times.map(
            (t, i) =>
              field.values[i] > options.filterValues.le &&
              x(t) > left && (
                <rect
                  key={t}
                  x={Math.max(left, x(t - step)) + 0.5}
                  y={y(r + 1) + 0.5}
                  width={Math.max(1, x(t) - Math.max(left, x(t - step)) - options.cellGap)}
                  height={Math.max(1, h - options.cellGap)}
                  fill={color(share(field.values[i]))}
                />
              ),
          )}
        </g>
      ))}
      <line x1={left} x2={width} y1={y(0)} y2={y(0)} stroke={theme.colors.border.weak} />
      <TimeAxis
        timeRange={timeRange}
        x={x}
        left={left}
        width={width}
        y={y(0) + 16}
        fill={theme.colors.text.secondary}
      />
      {Array.from({ length: 24 }, (_, i) => (
        <rect key={i} x={left + i * 5} y={height - 14} width={5.5} height={8} fill={color(share((i / 23) * max))} />
      ))}
      <text x={left + 128} y={height - 6} fontSize={12} fill={theme.colors.text.secondary}>
        1 to {Math.round(max)} a cell
      </text>
    </svg>
  );
}
