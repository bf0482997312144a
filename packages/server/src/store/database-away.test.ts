import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { isDatabaseAway } from './database-away.ts';
import type { Db } from './dialects/types.ts';
import { eachDialect } from './each-dialect.ts';

const withCode = (code: string) => Object.assign(new Error('x'), { code });
const withErrno = (errno: number) => Object.assign(new Error('x'), { errno });

it.each([
  new Error('timeout exceeded when trying to connect'),
  new Error('Connection terminated unexpectedly'),
  new Error("Can't add new command when connection is in closed state"),
  ...['ECONNREFUSED', 'ECONNRESET', '57P01', '25P03', '08006', '53100', 'PROTOCOL_CONNECTION_LOST'].map(
    withCode,
  ),
  ...[1290, 1836, 1021, 1114, 1203].map(withErrno),
  Object.assign(new Error('disk I/O error'), { errcode: 10 | (19 << 8) }),
])('an error of a driver whose database is away is known: %s', (error) => {
  expect(isDatabaseAway(error)).toBe(true);
});

it.each([
  new Error('no such column'),
  new TypeError('x is not a function'),
  withCode('23505'),
  withErrno(1062),
  Object.assign(new Error('database disk image is malformed'), { errcode: 11 }),
  'text',
  undefined,
])('any other is none: %s', (error) => {
  expect(isDatabaseAway(error)).toBe(false);
});

const write = (db: Db, size = 1) =>
  db
    .insertInto('options')
    .values({ key: 'k', value: 'x'.repeat(size) })
    .execute();

/** Statements that make a connection read-only, and that make it writable again. */
const readOnly = {
  sqlite: ['pragma query_only = on', 'pragma query_only = off'],
  postgres: ['begin read only', 'rollback'],
  mysql: ['start transaction read only', 'rollback'],
} as const;

eachDialect('a database', ({ open, kind }) => {
  it('that is read-only is away for those who write', async () => {
    const { db } = await open();
    const writing = db.connection().execute(async (one) => {
      const [begin, end] = readOnly[kind];
      await sql.raw(begin).execute(one);
      try {
        return await write(one);
      } finally {
        await sql.raw(end).execute(one);
      }
    });
    expect(isDatabaseAway(await writing.catch((error: unknown) => error))).toBe(true);
  });

  it.each(kind === 'sqlite' ? [kind] : [])('that has no room is away for those who write (%s)', async () => {
    const { db } = await open();
    await sql`pragma max_page_count = 1`.execute(db);
    const error: unknown = await write(db, 10_000_000).catch((reason: unknown) => reason);
    expect(isDatabaseAway(error)).toBe(true);
  });
});
