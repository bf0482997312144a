import type { Chart } from '../base/series.ts';
import { axisWidth, niceTicks } from './ticks.ts';
import { largestOf, tickText } from './amounts.ts';

/** Pixels. */
export const height = 260;
export const margin = { top: 10, right: 2, bottom: 24 };
/** Gap between a label and the bars. */
export const labelGap = 10;
export const plotHeight = height - margin.top - margin.bottom;
const maxBarWidth = 46;

/** The layout of a chart, in pixels. */
export interface Geometry {
  width: number;
  /** Left edge of the bars. */
  left: number;
  plotWidth: number;
  /** Width of a bar's slot, and of the bar in it. */
  slot: number;
  barWidth: number;
  /** The grid's lines, each with its position and its label. */
  ticks: readonly { y: number; words: string }[];
  pixelsPerUnit: number;
}

interface Scale {
  width: number;
  /** Whether amounts are shown as dollars, and the number of quota units per unit of the axis. */
  inDollars: boolean;
  unitsPerStep: number;
}

/** Lays out a chart; the axis ends at a round number above the largest bar. */
export function geometryOf({ bars }: Chart, { width, inDollars, unitsPerStep }: Scale): Geometry {
  const values = niceTicks(largestOf(bars) / unitsPerStep, !inDollars);
  const top = (values.at(-1) ?? 0) * unitsPerStep || 1;
  const words = values.map((value) => tickText(value, values, inDollars));
  const left = axisWidth(words) + labelGap;
  const plotWidth = Math.max(0, width - left - margin.right);
  const slot = plotWidth / Math.max(1, bars.length);
  const y = (value: number) => margin.top + plotHeight * (1 - value / top);
  return {
    width,
    left,
    plotWidth,
    slot,
    barWidth: Math.max(1, Math.min(maxBarWidth, slot * (slot > 12 ? 0.72 : 0.86))),
    ticks: values.map((value, index) => ({ y: y(value * unitsPerStep), words: words[index] ?? '' })),
    pixelsPerUnit: plotHeight / top,
  };
}
