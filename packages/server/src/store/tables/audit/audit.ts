import type { Selectable, SelectQueryBuilder } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import { containing, startingWith } from '../../like.ts';
import type { AuditTable } from '../../schema/site.ts';
import type { Database } from '../../schema/index.ts';
import { countOf, idOf } from '../shared.ts';

export type AuditRow = Selectable<AuditTable>;

/** Filter of rows; absent fields match any row. */
export interface AuditFilter {
  /** Unix seconds, included. */
  start?: number | undefined;
  end?: number | undefined;
  actorId?: number | undefined;
  /** The actor's name at that time. */
  actorName?: string | undefined;
  /** Id or former name of the object, or id of the account it concerns. */
  target?: string | undefined;
  /** The account that it concerns. */
  userId?: number | undefined;
  /** A kind, or a family of kinds. */
  kind?: string | undefined;
  /** Part of a name, an address, an id or a changed value. */
  text?: string | undefined;
}

/** Widths of the text columns. */
const widths = {
  kind: 64,
  outcome: 64,
  actor_name: 255,
  target_type: 32,
  target_id: 255,
  target_name: 255,
  method: 64,
  ip: 64,
  user_agent: 255,
  request_id: 64,
} as const;

/** The row in a form that every database accepts: an action must not fail because of a long name in its row. */
function fit(row: Omit<AuditRow, 'id'>): Omit<AuditRow, 'id'> {
  const fitted = { ...row, detail: row.detail.replaceAll('\0', '') };
  for (const [column, width] of Object.entries(widths) as [keyof typeof widths, number][]) {
    fitted[column] = row[column].replaceAll('\0', '').slice(0, width);
  }
  return fitted;
}

export async function insert(db: Db, row: Omit<AuditRow, 'id'>): Promise<void> {
  await db.insertInto('audit').values(fit(row)).execute();
}

type Rows = SelectQueryBuilder<Database, 'audit', AuditRow>;

function narrowed(db: Db, filter: AuditFilter): Rows {
  const { start, end, actorId, actorName, userId, target, kind, text } = filter;
  const { like } = dialectOf(db);
  let rows = db.selectFrom('audit').selectAll();
  if (start !== undefined) rows = rows.where('at', '>=', start);
  if (end !== undefined) rows = rows.where('at', '<=', end);
  if (actorId !== undefined) rows = rows.where('actor_id', '=', actorId);
  if (actorName !== undefined) rows = rows.where('actor_name', '=', actorName);
  if (target !== undefined) {
    const id = idOf(target);
    rows = rows.where((eb) =>
      eb.or([
        eb('target_id', '=', target),
        eb('target_name', '=', target),
        ...(id === undefined ? [] : [eb('user_id', '=', id)]),
      ]),
    );
  }
  if (userId !== undefined) rows = rows.where('user_id', '=', userId);
  if (kind !== undefined) {
    rows = rows.where((eb) => eb.or([eb('kind', '=', kind), like(eb.ref('kind'), startingWith(`${kind}.`))]));
  }
  if (text !== undefined) {
    const columns = ['actor_name', 'target_id', 'target_name', 'ip', 'request_id', 'detail'] as const;
    rows = rows.where((eb) => eb.or(columns.map((column) => like(eb.ref(column), containing(text)))));
  }
  return rows;
}

/** The newest rows of a filter; with `before`, only rows older than that row. */
export function list(
  db: Db,
  filter: AuditFilter,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<AuditRow[]> {
  let rows = narrowed(db, filter);
  if (before !== undefined) rows = rows.where('id', '<', before);
  return rows.orderBy('id', 'desc').limit(limit).execute();
}

/** True if there is a row of this kind, target and address since a moment (Unix seconds). */
export async function exists(
  db: Db,
  row: Pick<AuditRow, 'user_id' | 'kind' | 'target_type' | 'target_id' | 'ip'>,
  since: number,
): Promise<boolean> {
  const found = await db
    .selectFrom('audit')
    .select('id')
    .where('user_id', '=', row.user_id)
    .where('at', '>=', since)
    .where('kind', '=', row.kind)
    .where('target_type', '=', row.target_type)
    .where('target_id', '=', row.target_id)
    .where('ip', '=', row.ip)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Deletes rows older than `before` (Unix seconds), oldest first and `limit` at most; returns their number. The database
 * refuses it for rows younger than 30 days.
 */
export async function expire(db: Db, before: number, limit: number): Promise<number> {
  const oldest = await db
    .selectFrom('audit')
    .select('id')
    .where('at', '<', before)
    .orderBy('at')
    .limit(limit)
    .execute();
  if (oldest.length === 0) return 0;
  const ids = oldest.map(({ id }) => id);
  return countOf(await db.deleteFrom('audit').where('id', 'in', ids).executeTakeFirstOrThrow());
}
