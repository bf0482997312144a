import { sql } from 'kysely';
import { SchemaWriter } from './writer.ts';
import type { Migration } from './writer.ts';

/**
 * Several services of alarms, and one delivery for each alarm and service. The former single service keeps the name
 * `post` until the start moves its setting into the table.
 */
export const alarmPlaces: Migration = {
  name: '0052-alarm-places',
  steps(db, dialect) {
    const write = new SchemaWriter(db, dialect);
    const { integer, text, longText } = write.words;
    const move = (way: string) =>
      write.raw(sql`
        insert into alarm_deliveries (cause, subject, way, told, tries, due)
        select cause, subject, ${sql.lit(way)}, ${sql.ref(`${way}_told`)}, ${sql.ref(`${way}_tries`)}, ${sql.ref(`${way}_due`)}
        from alarms where not exists (
          select 1 from alarm_deliveries as known
          where known.cause = alarms.cause and known.subject = alarms.subject and known.way = ${sql.lit(way)})`);
    return [
      write.table('alarm_places', {
        columns: { id: integer, service: text(16), name: text(64), place_sealed: longText },
      }),
      write.table('alarm_deliveries', {
        columns: {
          cause: text(32),
          subject: text(64),
          way: text(20),
          told: integer,
          tries: integer,
          due: integer,
        },
        primaryKey: ['cause', 'subject', 'way'],
      }),
      ...['mail', 'post'].flatMap((way) => [
        move(way),
        ...['told', 'tries', 'due'].map((part) => write.dropColumn('alarms', `${way}_${part}`)),
      ]),
    ];
  },
};
