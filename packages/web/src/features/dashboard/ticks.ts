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

/** Which of `count` labels to write, at least `gap` pixels from each other over `width`; the last is always among them. */
export function labelled(count: number, width: number, gap: number): (index: number) => boolean {
  const every = Math.max(1, Math.ceil((count * gap) / Math.max(1, width)));
  return (index) => (count - 1 - index) % every === 0;
}
