import type { ChannelHealthQuery, ChannelHealthRow, ModelState, SiteHealth } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { channelMinutes, type Db } from '../../../store/index.ts';
import { allCalls } from './health.ts';

/** Health of channels, from the calls they served. */
export interface ChannelHealth {
  /** The most used first. */
  report(query: ChannelHealthQuery): Promise<{ since: number; step: number; rows: ChannelHealthRow[] }>;
  /** Success rate of the last day by offered model, for callers; cached for a minute. */
  site(): Promise<SiteHealth>;
  /** Deletes minutes older than a day. */
  expire(): Promise<void>;
}

interface ChannelHealthDeps {
  db: Db;
  /** Connection for sums that read many rows. */
  reports: Db;
  clock: Clock;
  channelName: (id: number) => string;
  /** The models that the site offers. */
  models: () => readonly string[];
}

/** Minutes are kept for a day, rounded to whole hours. */
const keptSeconds = 25 * 3_600;
/** Seconds of a period, and of each point of its chart. */
const periods = {
  hour: { length: 3_600, step: 300 },
  six_hours: { length: 6 * 3_600, step: 1_800 },
  day: { length: 24 * 3_600, step: 7_200 },
} as const;
const mostRows = 500;

const partsOf = {
  channel: ['channel_id'],
  key: ['channel_id', 'key_id'],
  model: ['channel_id', 'model'],
} as const satisfies Record<string, readonly channelMinutes.HealthPart[]>;

type Sums = Awaited<ReturnType<typeof channelMinutes.sums<channelMinutes.HealthPart>>>[number];

export function createChannelHealth(deps: ChannelHealthDeps): ChannelHealth {
  const { db, reports, clock } = deps;
  const beginOf = ({ length, step }: { length: number; step: number }): number => {
    const now = seconds(clock);
    return now - (now % step) - length + step;
  };
  let site: { at: number; health: Promise<SiteHealth> } | undefined;
  const readSite = async (): Promise<SiteHealth> => {
    const period = { length: 24 * 3_600, step: 3_600 };
    const since = beginOf(period);
    const sums = await channelMinutes.sums(reports, ['model'], { since, step: 3_600, channel: allCalls });
    const byModel = Map.groupBy(sums, ({ model }) => model);
    return {
      since,
      // A model without calls has no health.
      models: deps.models().flatMap((model) => {
        const found = byModel.get(model) as Sums[] | undefined;
        if (!found) return [];
        const series = seriesOf(found, since, period);
        return {
          model,
          state: stateOf(series),
          success_rate: rateOf(series),
          first_p50: quantile(addUp(found), 'first', 0.5),
          series: series.map(({ tries, failed }) => (tries === 0 ? null : 1 - failed / tries)),
        };
      }),
    };
  };
  return {
    async report({ period, by, channel }) {
      const { length, step } = periods[period];
      const since = beginOf({ length, step });
      const parts: readonly channelMinutes.HealthPart[] = partsOf[by];
      const sums = await channelMinutes.sums(reports, parts, { since, step, channel: channel || undefined });
      const groups = Map.groupBy(sums as Sums[], (row) => parts.map((part) => row[part]).join('\n'));
      const rows = [...groups.values()].map((found) => {
        const first = found[0]!;
        return {
          channel: first.channel_id,
          name: deps.channelName(first.channel_id),
          key: by === 'key' ? first.key_id : '',
          model: by === 'model' ? first.model : '',
          ...figuresOf(found),
          series: seriesOf(found, since, { length, step }),
        };
      });
      return { since, step, rows: rows.toSorted((a, b) => b.tries - a.tries).slice(0, mostRows) };
    },
    site() {
      const now = seconds(clock);
      if (!site || Math.abs(now - site.at) >= 60) site = { at: now, health: readSite() };
      // A failed query is not cached.
      site.health.catch(() => (site = undefined));
      return site.health;
    },
    expire: () => channelMinutes.removeBefore(db, seconds(clock) - keptSeconds),
  };
}

type Point = ChannelHealthRow['series'][number];

const failedIn = (row: Sums): number =>
  channelMinutes.attemptFailures.reduce((sum, kind) => sum + row[kind], 0);

/** Attempts and failures of each step. */
function seriesOf(
  rows: readonly Sums[],
  since: number,
  { length, step }: { length: number; step: number },
): Point[] {
  const points = Array.from({ length: length / step }, () => ({ tries: 0, failed: 0 }));
  for (const row of rows) {
    const point = points[Math.floor((row.at - since) / step)];
    if (!point) continue;
    const failed = failedIn(row);
    point.tries += row.succeeded + failed;
    point.failed += failed;
  }
  return points;
}

/** Adds up the counts of rows. */
function addUp(rows: readonly Sums[]): ReturnType<typeof channelMinutes.emptyCounts> {
  const sum = channelMinutes.emptyCounts();
  for (const count of Object.keys(sum) as (keyof typeof sum)[])
    for (const row of rows) sum[count]! += row[count]!;
  return sum;
}

function figuresOf(rows: readonly Sums[]) {
  const sum = addUp(rows);
  const failures = Object.fromEntries(
    channelMinutes.attemptFailures.map((kind) => [kind, sum[kind]]),
  ) as Record<channelMinutes.AttemptFailure, number>;
  const failed = Object.values(failures).reduce((all, each) => all + each, 0);
  return {
    tries: sum.succeeded + failed,
    failed,
    failures,
    first_p50: quantile(sum, 'first', 0.5),
    first_p95: quantile(sum, 'first', 0.95),
    whole_p50: quantile(sum, 'whole', 0.5),
    whole_p95: quantile(sum, 'whole', 0.95),
    tokens_per_second:
      sum.stream_ms === 0 ? null : Math.round((sum.stream_tokens * 10_000) / sum.stream_ms) / 10,
  };
}

/** A quantile of a time in ms, accurate to one bucket (half of the value); null without measurements. */
function quantile(
  sum: ReturnType<typeof channelMinutes.emptyCounts>,
  time: 'first' | 'whole',
  share: number,
): number | null {
  const counts = channelMinutes.bucketsOf(time).map((bucket) => sum[bucket]!);
  const wanted = counts.reduce((all, each) => all + each, 0) * share;
  if (wanted === 0) return null;
  let below = 0;
  for (const [place, count] of counts.entries()) {
    if (below + count < wanted || count === 0) {
      below += count;
      continue;
    }
    const from = channelMinutes.timeBounds[place - 1] ?? 0;
    const to = channelMinutes.timeBounds[place] ?? from;
    return Math.round(from + (to - from) * ((wanted - below) / count));
  }
  return channelMinutes.timeBounds.at(-1)!;
}

function rateOf(series: readonly Point[]): number | null {
  const tries = series.reduce((sum, point) => sum + point.tries, 0);
  return tries === 0 ? null : 1 - series.reduce((sum, point) => sum + point.failed, 0) / tries;
}

/** Classified by the newest two hours: nearly all calls succeed, some fail, or most fail. */
function stateOf(series: readonly Point[]): ModelState {
  const rate = rateOf(series.slice(-2));
  if (rate === null) return 'unknown';
  if (rate >= 0.95) return 'good';
  return rate >= 0.5 ? 'degraded' : 'down';
}
