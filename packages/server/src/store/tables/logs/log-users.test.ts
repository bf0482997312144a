/** @module-tag rounds */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eachDialect } from '../../each-dialect.ts';
import { hourSeconds, mark, moveOn } from './hours/marks.ts';
import { addToHour, sumPart } from './hours/sums.ts';
import { resolveUser } from './log-users.ts';
import * as logs from './logs.ts';

const one = <T>(values: readonly T[]) => fc.constantFrom(...values);
const hours = 6;
/** The part without sums begins within the last hour. */
const until = (hours - 1) * hourSeconds + 1_800;
const row = fc.record({
  created_at: fc.nat(hours * hourSeconds - 1),
  user_id: one([1, 2]),
  username: one(['ann', 'ann', 'bob']),
});

eachDialect('a name that nobody bears now', ({ open }) => {
  it('is found in all its rows, whichever hours are summed, marked or cleared', async () => {
    const { db } = await open();
    const blank = { ...logs.blank, content: '', type: 2 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 12 }),
        // Late or deleted rows: their hours are marked and not summed again.
        fc.array(row, { maxLength: 4 }),
        fc.subarray(Array.from({ length: hours }, (_, hour) => hour * hourSeconds)),
        async (some, late, cleared) => {
          for (const table of ['logs', 'log_hours', 'log_hour_marks', 'change_marks'] as const)
            await db.deleteFrom(table).execute();
          const write = (rows: typeof some) =>
            logs.insert(
              db,
              rows.map((each) => ({ ...blank, ...each })),
            );
          await write(some);
          await db.deleteFrom('log_hour_marks').execute();
          for (let from = 0; from < until; from += hourSeconds) {
            const part = { from, to: Math.min(until, from + hourSeconds) };
            await addToHour(db, { ...part, sums: await sumPart(db, part) });
          }
          await write(late);
          for (const hour of cleared) {
            await db
              .deleteFrom('logs')
              .where('created_at', '>=', hour)
              .where('created_at', '<', hour + 1_200)
              .execute();
            await mark(db, [hour]);
          }
          for (const username of ['ann', 'bob', 'eve']) {
            const { rows } = await logs.list(db, { username }, { offset: 0, limit: 50 });
            const right = await db.selectFrom('logs').select('id').where('username', '=', username).execute();
            expect(rows.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(
              right.map(({ id }) => id).toSorted((a, b) => a - b),
            );
          }
        },
      ),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 12) },
    );
  }, 60_000);

  it('is not looked for in all rows since those that were deleted a moment ago', async () => {
    const { db } = await open();
    const blank = { ...logs.blank, content: '', type: 2, user_id: 1, username: 'ann' };
    await logs.insert(
      db,
      [10, 2_000, hourSeconds + 5].map((created_at) => ({ ...blank, created_at })),
    );
    await moveOn(db, 0, until);
    await mark(db, [0, hourSeconds]);
    const none = { username: 'nobody', start: Number.MAX_SAFE_INTEGER };
    expect(await resolveUser(db, { username: 'nobody' })).toEqual(none);
    expect(await logs.list(db, none, { offset: 0, limit: 5 })).toMatchObject({
      rows: [],
      total: 0,
      exact: true,
    });
    const write = (created_at: number) => logs.insert(db, [{ ...blank, username: 'nobody', created_at }]);
    await write(until + 9);
    // Its hour is marked, because the row is late.
    const hour = until - (until % hourSeconds);
    expect(await resolveUser(db, { username: 'nobody' })).toEqual({ username: 'nobody', start: hour });
    await db.deleteFrom('log_hour_marks').execute();
    expect(await resolveUser(db, { username: 'nobody' })).toEqual({ username: 'nobody', start: until });
    await write(hourSeconds + 9);
    expect(await resolveUser(db, { username: 'nobody' })).toEqual({ username: 'nobody', start: hourSeconds });
  });
});
