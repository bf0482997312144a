import { useLanguage } from '../../../lib/i18n.ts';
import type { Chart } from '../base/series.ts';
import type { Unit } from '../base/span.ts';
import { barLabel } from './amounts.ts';
import { BarColumn } from './bar-column.tsx';
import classes from './chart.module.css';
import { height, labelGap, margin, plotHeight, type Geometry } from './geometry.ts';
import { labelled } from './ticks.ts';

interface DrawingProps {
  chart: Chart;
  unit: Unit;
  geometry: Geometry;
  /** The highlighted bar. */
  shown: number | null;
}

/** The grid, the bars and the labels below them. */
export function Drawing({ chart, unit, geometry, shown }: DrawingProps) {
  const { width, left, slot, barWidth, ticks, pixelsPerUnit } = geometry;
  return (
    <svg width={width} height={height} aria-hidden="true" className={classes.drawing}>
      {ticks.map(({ y, words }) => (
        <g key={y}>
          <line className={classes.grid} x1={left} x2={width} y1={y} y2={y} />
          <text className={classes.tick} x={left - labelGap} y={y} dy="0.32em" textAnchor="end">
            {words}
          </text>
        </g>
      ))}
      {shown !== null && (
        <rect
          className={classes.cursor}
          x={left + shown * slot}
          y={margin.top}
          width={slot}
          height={plotHeight}
        />
      )}
      {width > 0 &&
        chart.bars.map((bar, index) => (
          <BarColumn
            key={bar.start}
            bar={bar}
            series={chart.series}
            x={left + index * slot + (slot - barWidth) / 2}
            width={barWidth}
            bottom={margin.top + plotHeight}
            pixelsPerUnit={pixelsPerUnit}
          />
        ))}
      <Labels chart={chart} unit={unit} geometry={geometry} />
    </svg>
  );
}

/** As many labels below the bars as fit. */
function Labels({ chart: { bars }, unit, geometry }: Omit<DrawingProps, 'shown'>) {
  const language = useLanguage();
  const { width, left, slot, plotWidth } = geometry;
  const labels = labelled(bars, unit, plotWidth);
  return bars.map((bar, index) => {
    if (!labels.has(index)) return null;
    // The label of the outermost bar must not be cut off.
    const x = Math.min(left + (index + 0.5) * slot, width - 26);
    return (
      <text key={bar.start} className={classes.tick} x={x} y={height - 6} textAnchor="middle">
        {barLabel(bar.start, unit, language)}
      </text>
    );
  });
}
