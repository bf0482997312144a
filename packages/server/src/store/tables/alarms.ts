import { type Selectable, sql } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { AlarmTable } from '../schema/site.ts';
import { countOf } from './shared.ts';

export type AlarmRow = Selectable<AlarmTable>;
export type Alarm = Pick<AlarmRow, 'cause' | 'subject' | 'name' | 'detail'>;
type AlarmId = Pick<AlarmRow, 'cause' | 'subject'>;

/** Delivery methods of alarms: mail, or the service of the settings. */
export type AlarmWay = 'mail' | 'post';
/** Delivery state of an alarm. */
export const told = { nothing: 0, begin: 1, end: 2 } as const;

const nothingTold = {
  ended: 0,
  mail_told: told.nothing,
  mail_tries: 0,
  mail_due: 0,
  post_told: told.nothing,
  post_tries: 0,
  post_due: 0,
};

/**
 * Begins an alarm; a running one does not change. If an ended alarm begins again, it is a new one for methods that
 * delivered its end, and continues for the others.
 */
export async function begin(db: Db, alarm: Alarm, now: number): Promise<void> {
  const row = db.insertInto('alarms').values({ ...alarm, ...nothingTold, since: now });
  if (await dialectOf(db).insertIfNew(row, ['cause', 'subject'])) return;
  const anew = (way: AlarmWay) => {
    const column = sql.ref(`${way}_told`);
    return sql<number>`case when ${column} = ${sql.lit(told.end)} then ${sql.lit(told.nothing)} else ${column} end`;
  };
  await db
    .updateTable('alarms')
    .set({ ...alarm, since: now, ended: 0, mail_told: anew('mail'), post_told: anew('post') })
    .where('cause', '=', alarm.cause)
    .where('subject', '=', alarm.subject)
    .where('ended', '>', 0)
    .execute();
}

export async function end(db: Db, { cause, subject }: AlarmId, now: number): Promise<void> {
  await db
    .updateTable('alarms')
    .set({ ended: now })
    .where('cause', '=', cause)
    .where('subject', '=', subject)
    .where('ended', '=', 0)
    .execute();
}

/** Running alarms, newest first. */
export const running = (db: Db, limit: number): Promise<AlarmRow[]> =>
  db
    .selectFrom('alarms')
    .selectAll()
    .where('ended', '=', 0)
    .orderBy('since', 'desc')
    .orderBy('cause')
    .orderBy('subject')
    .limit(limit)
    .execute();

/** Alarms with a begin or end that a method must deliver now, oldest first. */
export const due = (db: Db, way: AlarmWay, now: number, limit: number): Promise<AlarmRow[]> =>
  db
    .selectFrom('alarms')
    .selectAll()
    .where(`${way}_due`, '<=', now)
    .where((eb) =>
      eb.or([
        eb(`${way}_told`, '=', told.nothing),
        eb.and([eb(`${way}_told`, '=', told.begin), eb('ended', '>', 0)]),
      ]),
    )
    .orderBy('since')
    .limit(limit)
    .execute();

/** Takes one attempt until a moment (Unix seconds); false if another process took it. */
export async function claim(db: Db, row: AlarmRow, way: AlarmWay, until: number): Promise<boolean> {
  const result = await db
    .updateTable('alarms')
    .set({ [`${way}_due`]: until, [`${way}_tries`]: row[`${way}_tries`] + 1 })
    .where('cause', '=', row.cause)
    .where('subject', '=', row.subject)
    .where(`${way}_due`, '=', row[`${way}_due`])
    .where(`${way}_tries`, '=', row[`${way}_tries`])
    .where(`${way}_told`, '=', row[`${way}_told`])
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Stores that a method delivered the next message of an alarm, or dropped it. */
export async function noteTold(db: Db, row: AlarmRow, way: AlarmWay): Promise<void> {
  await db
    .updateTable('alarms')
    .set({ [`${way}_told`]: row[`${way}_told`] + 1, [`${way}_due`]: 0, [`${way}_tries`]: 0 })
    .where('cause', '=', row.cause)
    .where('subject', '=', row.subject)
    .where(`${way}_told`, '=', row[`${way}_told`])
    .execute();
}

/** Deletes alarms that ended before a moment (Unix seconds). */
export async function removeBefore(db: Db, before: number): Promise<void> {
  await db.deleteFrom('alarms').where('ended', '>', 0).where('ended', '<', before).execute();
}
