import type { QuotaData } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { buildChart, sumByModel, sumWithin, withoutSeries } from './series.ts';
import { barsOf, barStart } from './span.ts';

const first = barStart(1_790_000_000, 'hour');
const row = (model: string, hour: number, quota: number, rest: Partial<QuotaData> = {}): QuotaData => ({
  id: 0,
  user_id: 0,
  username: '',
  model_name: model,
  created_at: first + hour * 3600,
  token_used: 100,
  count: 1,
  quota,
  team_quota: 0,
  ...rest,
});
const bars = barsOf({ start: first, end: first + 3 * 3600 - 1 }, 'hour');
const chartOf = (rows: QuotaData[], measure: 'quota' | 'count' | 'tokens' = 'quota') =>
  buildChart(rows, bars, { measure, unit: 'hour' });

describe('the chart', () => {
  it('stacks by model, the dearest first, and keeps hours without spending', () => {
    const chart = chartOf([row('b', 0, 5), row('a', 0, 7), row('a', 2, 1), row('b', 0, 1)]);
    expect(chart.series).toEqual([
      { model: 'a', colour: 0, total: 8 },
      { model: 'b', colour: 1, total: 6 },
    ]);
    expect(chart.bars.map(({ values, total }) => [values, total])).toEqual([
      [[7, 6], 13],
      [[0, 0], 0],
      [[1, 0], 1],
    ]);
    expect(chart.total).toBe(14);
  });

  it('sums up models without a colour of their own', () => {
    const rows = Array.from({ length: 10 }, (_, index) => row(`m${index}`, 0, 100 - index));
    const { series, bars: filled, total } = chartOf(rows);
    expect(series).toHaveLength(8);
    expect(series.at(-1)).toEqual({ model: null, colour: 7, total: 93 + 92 + 91 });
    expect(filled[0]?.total).toBe(total);
    expect(total).toBe(rows.reduce((sum, one) => sum + one.quota, 0));
  });

  it('keeps the colour of a model for every measure, and gives no colour twice', () => {
    const rows = Array.from({ length: 9 }, (_, index) =>
      row(`m${index}`, 0, 100 - index, { count: index, token_used: 0 }),
    );
    const byCount = chartOf(rows, 'count').series;
    expect(byCount[0]).toMatchObject({ model: 'm8', total: 8 });
    expect(byCount.find(({ model }) => model === 'm6')?.colour).toBe(6);
    expect(new Set(byCount.map(({ colour }) => colour)).size).toBe(byCount.length);
    expect(chartOf(rows, 'tokens').series).toEqual([]);
  });

  it('leaves out hidden models, and rows outside of the period', () => {
    const chart = chartOf([row('a', 0, 7), row('b', 0, 5), row('a', 9, 50)]);
    expect(chart.total).toBe(12);
    const rest = withoutSeries(chart, new Set(['a']));
    expect(rest.bars[0]).toMatchObject({ values: [0, 5], total: 5 });
    expect(rest.series).toBe(chart.series);
    expect(withoutSeries(chart, new Set())).toBe(chart);
  });
});

it('sums are by model, dearest first, and by period', () => {
  const rows = [row('a', 0, 1), row('b', 1, 9), row('a', 2, 2, { count: 4, team_quota: 3 })];
  expect(sumByModel(rows)).toEqual([
    ['b', { quota: 9, count: 1, tokens: 100, byTeams: 0 }],
    ['a', { quota: 3, count: 5, tokens: 200, byTeams: 3 }],
  ]);
  expect(sumWithin(rows, { start: first, end: first + 3600 })).toEqual({
    quota: 10,
    count: 2,
    tokens: 200,
    byTeams: 0,
  });
});
