import type { QuotaData } from '@tollgate/contract';
import { barStart, type Span, type Unit } from './span.ts';

/** The quantity that the chart shows. */
export type Measure = 'quota' | 'count' | 'tokens';

export interface Sums {
  quota: number;
  count: number;
  tokens: number;
  /** Quota units that organisations paid. */
  byTeams: number;
}

/** A chart series with its own colour. */
export interface Series {
  /** The model; null for all models without a colour of their own. */
  model: string | null;
  /** Index in the palette. */
  colour: number;
  total: number;
}

export interface Bar extends Span {
  /** One value for each series. */
  values: number[];
  total: number;
}

export interface Chart {
  series: Series[];
  bars: Bar[];
  total: number;
}

/** Colours of the palette; the last one is for all other models. */
const paletteSize = 8;
const named = paletteSize - 1;

const none = (): Sums => ({ quota: 0, count: 0, tokens: 0, byTeams: 0 });

function add(sums: Sums, row: QuotaData): void {
  sums.quota += row.quota;
  sums.count += row.count;
  sums.tokens += row.token_used;
  sums.byTeams += row.team_quota;
}

/** Total of each model, largest first. */
export function sumByModel(rows: readonly QuotaData[]): [model: string, sums: Sums][] {
  const models = new Map<string, Sums>();
  for (const row of rows) {
    const sums = models.get(row.model_name) ?? none();
    add(sums, row);
    models.set(row.model_name, sums);
  }
  return [...models].toSorted(
    ([nameA, a], [nameB, b]) => b.quota - a.quota || b.count - a.count || (nameA < nameB ? -1 : 1),
  );
}

/** Total of all rows of a span. */
export function sumWithin(rows: readonly QuotaData[], { start, end }: Span): Sums {
  const sums = none();
  for (const row of rows) if (row.created_at >= start && row.created_at <= end) add(sums, row);
  return sums;
}

/**
 * The models with their own colour: the largest by the shown quantity. A model keeps its colour when the quantity
 * changes, as long as it is among them.
 */
function coloured(byModel: readonly [string, Sums][], measure: Measure): Map<string, number> {
  const usual = byModel.slice(0, named).map(([model]) => model);
  const top = byModel
    .filter(([, sums]) => sums[measure] > 0)
    .toSorted(([, a], [, b]) => b[measure] - a[measure])
    .slice(0, named)
    .map(([model]) => model);
  const free = usual.map((_, colour) => colour).filter((colour) => !top.includes(usual[colour] ?? ''));
  for (let colour = usual.length; colour < named; colour += 1) free.push(colour);
  return new Map(
    top.map((model) => [model, usual.includes(model) ? usual.indexOf(model) : (free.shift() ?? 0)]),
  );
}

/** Bars stacked by model: the largest models at the bottom, all others on top. */
export function buildChart(
  rows: readonly QuotaData[],
  bars: readonly Span[],
  { measure, unit }: { measure: Measure; unit: Unit },
): Chart {
  const byModel = sumByModel(rows);
  const colours = coloured(byModel, measure);
  const series: Series[] = [...colours].map(([model, colour]) => ({ model, colour, total: 0 }));
  if (byModel.some(([model, sums]) => sums[measure] > 0 && !colours.has(model)))
    series.push({ model: null, colour: named, total: 0 });

  const place = new Map(series.map(({ model }, index) => [model, index]));
  const filled = bars.map((bar): Bar => ({ ...bar, values: series.map(() => 0), total: 0 }));
  const barAt = new Map(filled.map((bar) => [bar.start, bar]));
  let total = 0;
  for (const row of rows) {
    const value = row[measure === 'tokens' ? 'token_used' : measure];
    const bar = barAt.get(barStart(row.created_at, unit));
    const index = place.get(row.model_name) ?? place.get(null);
    const own = index === undefined ? undefined : series[index];
    if (!bar || !own || index === undefined) continue;
    bar.values[index] = (bar.values[index] ?? 0) + value;
    bar.total += value;
    own.total += value;
    total += value;
  }
  return { series, bars: filled, total };
}

/** The chart without the series that the user has hidden. */
export function withoutSeries(chart: Chart, hidden: ReadonlySet<string | null>): Chart {
  if (hidden.size === 0) return chart;
  const shown = chart.series.map(({ model }) => !hidden.has(model));
  const bars = chart.bars.map((bar) => {
    const values = bar.values.map((value, index) => (shown[index] ? value : 0));
    return { ...bar, values, total: values.reduce((sum, value) => sum + value, 0) };
  });
  return { ...chart, bars };
}
