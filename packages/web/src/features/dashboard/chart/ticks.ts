import type { Span, Unit } from '../base/span.ts';

/** How many lines the chart draws at most. */
const lines = 4;

/**
 * Round values from 0 to the first that is not below `max`, for the lines of a chart: steps of 1, 2, 2.5 or 5.
 *
 * @param whole - for what is counted in whole numbers
 */
export function niceTicks(max: number, whole: boolean): number[] {
  if (!(max > 0)) return [0];
  const rough = max / lines;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= rough * (1 - 1e-9)) ?? 10;
  const step = whole ? Math.max(1, Math.ceil(factor * power)) : factor * power;
  const count = Math.ceil(max / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Places that tell the ticks apart: 0, 0.25, 0.5 need two. */
export const placesOf = (ticks: readonly number[]): number =>
  Math.max(0, ...ticks.map((tick) => String(Number(tick.toFixed(8))).split('.')[1]?.length ?? 0));

/** Pixels a label needs. */
const labelWidth = 58;
/** Hours between labels: each divides a day, so that every day has the same ones. */
const hourSteps = [1, 2, 3, 6, 12, 24];

/**
 * Which bars have a label, so that labels keep their distance over `width` pixels. Hours are labelled on the round
 * ones, days and weeks back from the newest.
 */
export function labelled(bars: readonly Span[], unit: Unit, width: number): ReadonlySet<number> {
  const slot = Math.max(1, width) / Math.max(1, bars.length);
  const indexes = bars.map((_, index) => index);
  const every = Math.max(1, Math.ceil(labelWidth / slot));
  const step = unit === 'hour' ? hourSteps.find((hours) => hours >= every) : undefined;
  if (step === undefined) return new Set(indexes.filter((index) => (bars.length - 1 - index) % every === 0));
  const hourOf = (index: number) => new Date((bars[index]?.start ?? 0) * 1000).getHours();
  return new Set(indexes.filter((index) => hourOf(index) % step === 0));
}

/** Pixels of the widest digit at the size of the labels, and of an axis with short ones. */
const digitWidth = 7;
const minAxisWidth = 44;

/** Pixels that the labels of an axis need: those of small amounts are long. */
export const axisWidth = (labels: readonly string[]): number =>
  Math.max(minAxisWidth, ...labels.map((label) => label.length * digitWidth));
