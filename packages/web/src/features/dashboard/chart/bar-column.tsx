import { memo } from 'react';
import classes from './chart.module.css';
import type { Bar, Series } from '../base/series.ts';

interface BarColumnProps {
  bar: Bar;
  series: readonly Series[];
  /** Pixels, as all of these. */
  x: number;
  width: number;
  bottom: number;
  pixelsPerUnit: number;
}

/**
 * The parts of a bar from the bottom up. A part above zero is at least one pixel high. Parts of tall, wide bars have a
 * gap of one pixel.
 */
function partsOf({ bar, series, width, bottom, pixelsPerUnit }: BarColumnProps) {
  const heights = bar.values.map((value) => (value > 0 ? Math.max(1, value * pixelsPerUnit) : 0));
  const whole = heights.reduce((sum, height) => sum + height, 0);
  const gap = width > 5 && whole > 24 ? 1 : 0;
  let from = bottom;
  const parts: { model: string | null; colour: number; y: number; height: number }[] = [];
  for (const [index, { model, colour }] of series.entries()) {
    const height = heights[index] ?? 0;
    from -= height;
    if (height > 0) parts.push({ model, colour, y: from, height: Math.max(1, height - gap) });
  }
  return parts;
}

/** One bar of the chart. */
export const BarColumn = memo(function BarColumn(props: BarColumnProps) {
  return partsOf(props).map(({ model, colour, y, height }) => (
    <rect
      key={model ?? ''}
      className={classes.part}
      data-colour={colour}
      x={props.x}
      y={y}
      width={props.width}
      height={height}
    />
  ));
});
