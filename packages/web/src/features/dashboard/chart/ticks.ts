import type { Span, Unit } from '../base/span.ts';

/** Maximum number of grid lines. */
const lines = 4;

/**
 * Round values from 0 to the first that is not below `max`, for the lines of a chart: steps of 1, 2, 2.5 or 5.
 *
 * @param whole - for whole numbers
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

/** Decimals that distinguish the ticks: 0, 0.25, 0.5 need two. */
export const placesOf = (ticks: readonly number[]): number =>
  Math.max(0, ...ticks.map((tick) => String(Number(tick.toFixed(8))).split('.')[1]?.length ?? 0));

/** Width of a label in pixels. */
const labelWidth = 58;
/** Hours between labels: each divides a day, so that every day has the same ones. */
const hourSteps = [1, 2, 3, 6, 12, 24];

/**
 * The bars that have a label, so that labels keep their distance over `width` pixels. Hour labels are at round hours; day
 * and week labels count back from the newest.
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

/** Pixels of the widest digit at the label size, and of an axis with short labels. */
const digitWidth = 7;
const minAxisWidth = 44;

/** Width of the axis labels in pixels: labels of small amounts are long. */
export const axisWidth = (labels: readonly string[]): number =>
  Math.max(minAxisWidth, ...labels.map((label) => label.length * digitWidth));
