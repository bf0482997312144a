import { logType, testTokenName } from '@tollgate/contract';
import { sql, type Selectable } from 'kysely';
import type { Db } from '../../dialects/types.ts';
import type { LogTable } from '../../schema/upkeep.ts';
import { onSides, readOn, findSides } from '../log-archive/sides.ts';

const columns = [
  'id',
  'type',
  'user_id',
  'team_id',
  'token_id',
  'channel_id',
  'model_name',
  'group',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'other',
  'cost',
] as const;

/** A row with the data of its charge. */
export type PricedRow = Pick<Selectable<LogTable>, (typeof columns)[number]>;

/** Filter of charges. Times are Unix seconds, both included. */
export interface PricedFilter {
  start: number;
  end: number;
  /** All models if it is empty. */
  models: readonly string[];
  /** All groups if it is empty or absent: plans of earlier releases do not have it. */
  groups?: readonly string[];
  /** 0 for all. */
  channelId: number;
  /** 0 for all. */
  userId: number;
}

/** Rows with ids above `after`, up to `upTo`. */
interface Stretch {
  after: number;
  upTo: number;
}

/** Charges and refunds of a filter, without tests of channels. */
function matching(db: Db, { start, end, models, groups = [], channelId, userId }: PricedFilter) {
  let query = db
    .selectFrom('logs')
    .where('type', 'in', [sql.lit(logType.consume), sql.lit(logType.refund)])
    .where('created_at', '>=', start)
    .where('created_at', '<=', end)
    .where((e) => e.or([e('token_id', '<>', 0), e('token_name', '<>', testTokenName)]));
  if (models.length > 0) query = query.where('model_name', 'in', models);
  if (groups.length > 0) query = query.where('group', 'in', groups);
  if (channelId !== 0) query = query.where('channel_id', '=', channelId);
  if (userId !== 0) query = query.where('user_id', '=', userId);
  return query;
}

/** The range of ids of all rows of a time range: ids are nearly in order of time, except imported ones. */
export async function findIdRange(
  db: Db,
  { start, end }: Pick<PricedFilter, 'start' | 'end'>,
): Promise<Stretch> {
  const ends = await onSides(db, ({ db: one }) =>
    one
      .selectFrom('logs')
      .select((e) => [e.fn.min('id').as('first'), e.fn.max('id').as('last')])
      .where('created_at', '>=', start)
      .where('created_at', '<=', end)
      .executeTakeFirst(),
  );
  const first = Math.min(...ends.flatMap((row) => row?.first ?? []));
  const last = Math.max(0, ...ends.flatMap((row) => row?.last ?? []));
  return { after: last === 0 ? 0 : first - 1, upTo: last };
}

/** Runs a query of rows on one of the databases. */
export type RunRows = (rows: ReturnType<typeof query>, isArchive: boolean) => Promise<PricedRow[]>;

/**
 * The next rows in the order of their ids, at most `limit`. Rows up to the cut are in the archive, and those above it
 * in the main database, so that reading by id goes through one after the other.
 */
export async function next(
  db: Db,
  filter: PricedFilter,
  { after, upTo }: Stretch,
  limit: number,
  run: RunRows = (rows) => rows.execute(),
): Promise<PricedRow[]> {
  const [main, archive] = await findSides(db);
  const cut = archive?.ids.upTo ?? 0;
  const old =
    archive && after < cut
      ? await readOn(archive, () =>
          run(query(archive.db, filter, { after, upTo: Math.min(upTo, cut) }, limit), true),
        )
      : [];
  if (old.length === limit || upTo <= cut) return old;
  const stretch = { after: Math.max(after, cut), upTo };
  return [...old, ...(await run(query(main.db, filter, stretch, limit - old.length), false))];
}

const query = (db: Db, filter: PricedFilter, { after, upTo }: Stretch, limit: number) =>
  matching(db, filter)
    .select(columns)
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .orderBy('id')
    .limit(limit);

/** A row from its values in the order of the columns. */
export const shape = (values: unknown[]): PricedRow => ({
  id: values[0] as number,
  type: values[1] as number,
  user_id: values[2] as number,
  team_id: values[3] as number,
  token_id: values[4] as number,
  channel_id: values[5] as number,
  model_name: values[6] as string,
  group: values[7] as string,
  quota: values[8] as number,
  prompt_tokens: values[9] as number,
  completion_tokens: values[10] as number,
  other: values[11] as string,
  cost: values[12] as number | null,
});
