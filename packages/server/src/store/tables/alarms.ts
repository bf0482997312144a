import type { Selectable } from 'kysely';
import { dialectOf, inTransaction } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { AlarmDeliveryTable, AlarmPlaceTable, AlarmTable } from '../schema/site.ts';
import { countOf } from './shared.ts';

export type AlarmRow = Selectable<AlarmTable>;
export type Alarm = Pick<AlarmRow, 'cause' | 'subject' | 'name' | 'detail'>;
/** An alarm and its delivery by one way. */
export type DeliveryRow = AlarmRow & Selectable<AlarmDeliveryTable>;
export type PlaceRow = Selectable<AlarmPlaceTable>;
type AlarmId = Pick<AlarmRow, 'cause' | 'subject'>;

/** Delivery state of an alarm. */
export const told = { nothing: 0, begin: 1, end: 2 } as const;

/**
 * Begins an alarm with a delivery by each way; a running one does not change. If an ended alarm begins again, it is a
 * new one for ways that delivered its end, and continues for the others.
 */
export const begin = (db: Db, alarm: Alarm, ways: readonly string[], now: number): Promise<void> =>
  inTransaction(db, async (tx) => {
    const { cause, subject } = alarm;
    const row = tx.insertInto('alarms').values({ ...alarm, ended: 0, since: now });
    if (!(await dialectOf(tx).insertIfNew(row, ['cause', 'subject']))) {
      const again = await tx
        .updateTable('alarms')
        .set({ ...alarm, since: now, ended: 0 })
        .where('cause', '=', cause)
        .where('subject', '=', subject)
        .where('ended', '>', 0)
        .executeTakeFirstOrThrow();
      if (countOf(again) === 0) return;
      await tx
        .updateTable('alarm_deliveries')
        .set({ told: told.nothing })
        .where('cause', '=', cause)
        .where('subject', '=', subject)
        .where('told', '=', told.end)
        .execute();
    }
    for (const way of ways) {
      const delivery = { cause, subject, way, told: told.nothing, tries: 0, due: 0 };
      const insert = tx.insertInto('alarm_deliveries').values(delivery);
      await dialectOf(tx).insertIfNew(insert, ['cause', 'subject', 'way']);
    }
  });

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

/** Alarms with a begin or end that a way must deliver now, oldest first. */
export const due = (db: Db, way: string, now: number, limit: number): Promise<DeliveryRow[]> =>
  db
    .selectFrom('alarm_deliveries')
    .innerJoin('alarms', (join) =>
      join
        .onRef('alarms.cause', '=', 'alarm_deliveries.cause')
        .onRef('alarms.subject', '=', 'alarm_deliveries.subject'),
    )
    .selectAll(['alarms', 'alarm_deliveries'])
    .where('way', '=', way)
    .where('due', '<=', now)
    .where((eb) =>
      eb.or([eb('told', '=', told.nothing), eb.and([eb('told', '=', told.begin), eb('ended', '>', 0)])]),
    )
    .orderBy('since')
    .limit(limit)
    .execute();

const deliveryOf = (db: Db, { cause, subject, way, told: before }: DeliveryRow) =>
  db
    .updateTable('alarm_deliveries')
    .where('cause', '=', cause)
    .where('subject', '=', subject)
    .where('way', '=', way)
    .where('told', '=', before);

/** Takes one attempt until a moment (Unix seconds); false if another process took it. */
export async function claim(db: Db, row: DeliveryRow, until: number): Promise<boolean> {
  const result = await deliveryOf(db, row)
    .set({ due: until, tries: row.tries + 1 })
    .where('due', '=', row.due)
    .where('tries', '=', row.tries)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Stores that a way delivered the next message of an alarm, or dropped it. */
export async function noteTold(db: Db, row: DeliveryRow): Promise<void> {
  await deliveryOf(db, row)
    .set({ told: row.told + 1, due: 0, tries: 0 })
    .execute();
}

/** Deletes all deliveries of a way that is no longer set up. */
export async function dropWay(db: Db, way: string): Promise<void> {
  await db.deleteFrom('alarm_deliveries').where('way', '=', way).execute();
}

/** Deletes alarms that ended before a moment (Unix seconds). */
export async function removeBefore(db: Db, before: number): Promise<void> {
  await db
    .deleteFrom('alarm_deliveries')
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('alarms')
          .select('alarms.cause')
          .whereRef('alarms.cause', '=', 'alarm_deliveries.cause')
          .whereRef('alarms.subject', '=', 'alarm_deliveries.subject')
          .where('alarms.ended', '>', 0)
          .where('alarms.ended', '<', before),
      ),
    )
    .execute();
  await db.deleteFrom('alarms').where('ended', '>', 0).where('ended', '<', before).execute();
}

/** Places that alarms are posted to, oldest first. */
export const places = (db: Db): Promise<PlaceRow[]> =>
  db.selectFrom('alarm_places').selectAll().orderBy('id').execute();

/** Adds a place; its secrets are sealed for its id. */
export const addPlace = (
  db: Db,
  place: Pick<PlaceRow, 'service' | 'name'>,
  seal: (id: number) => string,
): Promise<number> =>
  inTransaction(db, async (tx) => {
    const id = await dialectOf(tx).insertReturningId(
      tx.insertInto('alarm_places').values({ ...place, place_sealed: '' }),
    );
    await tx
      .updateTable('alarm_places')
      .set({ place_sealed: seal(id) })
      .where('id', '=', id)
      .execute();
    return id;
  });

/** Removes a place and its deliveries; false if there was none. */
export const removePlace = (db: Db, id: number): Promise<boolean> =>
  inTransaction(db, async (tx) => {
    await dropWay(tx, String(id));
    const result = await tx.deleteFrom('alarm_places').where('id', '=', id).executeTakeFirstOrThrow();
    return countOf(result) > 0;
  });

/** Gives the deliveries of a way to another. */
export async function renameWay(db: Db, from: string, to: string): Promise<void> {
  await db.updateTable('alarm_deliveries').set({ way: to }).where('way', '=', from).execute();
}
