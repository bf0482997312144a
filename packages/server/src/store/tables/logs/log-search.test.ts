/** @module-tag rounds */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dialectOf } from '../../db.ts';
import { eachDialect } from '../../each-dialect.ts';
import { type LogFilter, splitsOf } from './log-filter.ts';
import { newerFirst, search } from './log-search.ts';
import * as logs from './logs.ts';

const one = <T>(values: readonly T[]) => fc.constantFrom(...values);
const rows = fc.array(
  fc.record({
    // Few timestamps, so that many rows share one.
    created_at: fc.integer({ min: 1, max: 6 }),
    user_id: one([1, 1, 1, 2]),
    model_name: one(['a', 'a', 'b']),
    channel_id: one([1, 2]),
    username: one(['ann', 'bob']),
    tags: one([null, '{"team":"a"}', '{"team":"b","batch":""}', '{"team":"a","batch":""}']),
  }),
  { maxLength: 60 },
);
const filters = fc.record(
  {
    userId: one([1, 2, 3]),
    modelName: one(['a', 'b', 'c', 'a%']),
    channelId: one([1, 2]),
    username: one(['ann', 'bob']),
    tags: fc.subarray([
      { name: 'team', value: 'a' },
      { name: 'batch', value: '' },
    ]),
    start: fc.nat(12),
    end: fc.nat(12),
  },
  { requiredKeys: [] },
);
const bounds = fc.record({ first: one([1, 1, 2]), all: one([4, 20, 1_000]), counted: one([1, 8, 1_000]) });
const slices = fc.record({ offset: fc.nat(20), limit: fc.integer({ min: 1, max: 9 }) });

const hasTags = (tags: string | null, filter: LogFilter): boolean =>
  (filter.tags ?? []).every(
    ({ name, value }) => (JSON.parse(tags ?? '{}') as Record<string, string>)[name] === value,
  );

eachDialect('a search of the log', ({ open }) => {
  it('finds what a full scan finds, each row once, whatever indexes it uses', async () => {
    const { db } = await open();
    const blank = { ...logs.blank, content: '', type: 2 };
    await fc.assert(
      fc.asyncProperty(rows, filters, slices, bounds, async (some, wanted, slice, few) => {
        await db.deleteFrom('logs').execute();
        if (some.length > 0)
          await logs.insert(
            db,
            some.map((row) => ({ ...blank, ...row })),
          );
        const filter = Object.fromEntries(
          Object.entries(wanted).filter(([, value]) => value !== undefined),
        ) as LogFilter;
        const all = await db.selectFrom('logs').selectAll().execute();
        const expected = all
          .filter(
            (row) =>
              (filter.userId ?? row.user_id) === row.user_id &&
              (filter.modelName?.replace('%', '') ?? row.model_name) === row.model_name &&
              (filter.channelId ?? row.channel_id) === row.channel_id &&
              (filter.username ?? row.username) === row.username &&
              hasTags(row.tags, filter) &&
              row.created_at >= (filter.start ?? 0) &&
              row.created_at <= (filter.end ?? Infinity),
          )
          .toSorted(newerFirst)
          .map(({ id }) => id);
        const found = await search(db, splitsOf(filter, dialectOf(db)), slice, few);
        const page = expected.slice(slice.offset, slice.offset + slice.limit);
        const ids = found.keys.map(({ id }) => id);
        // A search that stops at its bound may omit only the end of the page.
        expect(ids).toEqual(
          found.exact || found.keys.length === slice.limit ? page : page.slice(0, ids.length),
        );
        const counted = found.exact ? expected.length : Math.min(found.total, expected.length);
        expect(found.total).toBe(counted);
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 60) },
    );
  }, 60_000);
});
