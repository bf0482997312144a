import type { MarginData, MarginQuery, MarginRow } from '@tollgate/contract';
import { type Db, marginSums, teams, users } from '../../../store/index.ts';

/** Charges and costs of calls, for the operator. */
export interface Margins {
  /** Sums of a period; the rows with the largest charge first. */
  sums(query: MarginQuery): Promise<MarginData>;
}

export interface MarginsDeps {
  /** A separate connection, so that long reads do not block other work. */
  reports: Db;
  /** The present name of a channel; '' if it is deleted. */
  channelName: (id: number) => string;
}

/** Maximum number of rows in a result; the total covers all. */
const maxRows = 1_000;

/** Opens the sums of margins. */
export const createMargins = ({ reports, channelName }: MarginsDeps): Margins => ({
  async sums({ by, start_timestamp: start, end_timestamp: end, channel, model_name: model }) {
    const found = await marginSums.marginSums(reports, by, {
      start,
      end: end === 0 ? Number.MAX_SAFE_INTEGER : end,
      ...(channel > 0 && { channelId: channel }),
      ...(model !== '' && { model }),
    });
    const total = found.reduce(added, { ...nothing, bucket: 0 });
    const sorted = by === 'day' ? found.toSorted(newest) : found.toSorted(dearest);
    const shown = sorted.slice(0, maxRows);
    const names = await findNames(reports, channelName, by, shown);
    return {
      rows: shown.map((sum) => ({ name: names.get(sum.bucket) ?? '', ...rowOf(sum) })),
      total: { name: '', ...rowOf(total) },
      truncated: found.length > maxRows,
    };
  },
});

type Sum = marginSums.MarginSum;

const nothing = { calls: 0, charge: 0, cost: 0, unknown_calls: 0, unknown_charge: 0 };

const added = (sum: Sum, next: Sum): Sum => ({
  bucket: sum.bucket,
  calls: sum.calls + next.calls,
  charge: sum.charge + next.charge,
  cost: sum.cost + next.cost,
  unknown_calls: sum.unknown_calls + next.unknown_calls,
  unknown_charge: sum.unknown_charge + next.unknown_charge,
});

const dearest = (a: Sum, b: Sum): number => b.charge + b.unknown_charge - a.charge - a.unknown_charge;
const newest = (a: Sum, b: Sum): number => Number(b.bucket) - Number(a.bucket);

const rowOf = ({ bucket, ...sum }: Sum): Omit<MarginRow, 'name'> => ({
  id: typeof bucket === 'number' ? bucket : 0,
  ...sum,
  margin: sum.charge - sum.cost,
});

/** The present names of the buckets. */
async function findNames(
  db: Db,
  channelName: (id: number) => string,
  by: MarginQuery['by'],
  sums: readonly Sum[],
): Promise<ReadonlyMap<number | string, string>> {
  const buckets = sums.map(({ bucket }) => bucket);
  if (by === 'model') return new Map(buckets.map((bucket) => [bucket, String(bucket)]));
  const ids = buckets.map(Number);
  if (by === 'user') return users.findNames(db, ids);
  if (by === 'team') return new Map((await teams.findMany(db, ids)).map(({ id, name }) => [id, name]));
  if (by === 'channel') return new Map(ids.map((id) => [id, channelName(id)]));
  return new Map(ids.map((id) => [id, new Date(id * 1_000).toISOString().slice(0, 10)]));
}
