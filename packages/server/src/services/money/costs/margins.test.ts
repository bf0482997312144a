import { logType, type MarginQuery, testTokenName } from '@tollgate/contract';
import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../../../store/each-dialect.ts';
import { type Db, logs } from '../../../store/index.ts';
import { createMargins, type Margins } from './index.ts';

const day = 86_400;

eachDialect('margins', ({ open }) => {
  let db: Db;
  let margins: Margins;

  beforeEach(async () => {
    ({ db } = await open());
    margins = createMargins({ reports: db, channelName: (id) => (id === 1 ? 'main' : '') });
  });

  const row = (fields: Partial<logs.NewLog>): logs.NewLog => ({
    ...logs.blank,
    user_id: 7,
    username: 'ann',
    created_at: day + 10,
    type: logType.consume,
    content: '',
    token_id: 3,
    token_name: 'key',
    model_name: 'gpt-4o',
    channel_id: 1,
    ...fields,
  });
  const sums = (query: Partial<MarginQuery> = {}) =>
    margins.sums({
      start_timestamp: 0,
      end_timestamp: 0,
      by: 'channel',
      channel: 0,
      model_name: '',
      ...query,
    });

  it('are the charge less the cost; unknown costs are summed separately, and tests are left out', async () => {
    await logs.insert(db, [
      row({ quota: 100, cost: 60 }),
      row({ quota: 50, cost: 80, channel_id: 2 }),
      row({ quota: 30, token_id: 0, token_name: '', cost: 10 }),
      row({ quota: 1_000 }),
      row({ quota: 5_000, cost: 4_000, token_id: 0, token_name: testTokenName }),
      row({ quota: 900, type: logType.topup }),
    ]);
    const { rows, total } = await sums();
    expect(rows).toEqual([
      {
        id: 1,
        name: 'main',
        calls: 2,
        charge: 130,
        cost: 70,
        margin: 60,
        unknown_calls: 1,
        unknown_charge: 1_000,
      },
      { id: 2, name: '', calls: 1, charge: 50, cost: 80, margin: -30, unknown_calls: 0, unknown_charge: 0 },
    ]);
    expect(total).toMatchObject({ calls: 3, charge: 180, cost: 150, margin: 30, unknown_charge: 1_000 });
  });

  it('lose the charge that was given back, on the day of the call, and keep its cost', async () => {
    const later = { created_at: 5 * day, type: logType.refund };
    await logs.insert(db, [
      row({ request_id: 'known', quota: 100, cost: 60 }),
      row({ ...later, request_id: 'known', quota: 100, cost: 0 }),
      row({ request_id: 'open', quota: 40 }),
      row({ ...later, request_id: 'open', quota: 30 }),
    ]);
    await logs.refund(db, [
      { requestId: 'known', quota: 100 },
      { requestId: 'open', quota: 30 },
    ]);
    const expected = { calls: 1, charge: 0, cost: 60, margin: -60, unknown_charge: 10 };
    const { rows, total } = await sums({ by: 'day' });
    expect(total).toMatchObject(expected);
    expect(rows).toMatchObject([{ id: day, ...expected }]);
    // A query for the first day gives the same figures. The day of the refund has none.
    expect((await sums({ end_timestamp: 2 * day })).total).toMatchObject(expected);
    expect((await sums({ start_timestamp: 2 * day })).rows).toEqual([]);
  });

  it('are by model, user, team and day, in a period, of a channel and of a model', async () => {
    await logs.insert(db, [
      row({ quota: 1, cost: 0, created_at: day - 1 }),
      row({ quota: 2, cost: 0, created_at: day, team_id: 5 }),
      row({ quota: 4, cost: 0, created_at: 2 * day, model_name: 'o1', channel_id: 2, user_id: 8 }),
    ]);
    const named = async (query: Partial<MarginQuery>) =>
      (await sums(query)).rows.map(({ id, name, charge }) => [id, name, charge]);
    expect(await named({ by: 'day' })).toEqual([
      [2 * day, '1970-01-03', 4],
      [day, '1970-01-02', 2],
      [0, '1970-01-01', 1],
    ]);
    expect(await named({ by: 'model' })).toEqual([
      [0, 'o1', 4],
      [0, 'gpt-4o', 3],
    ]);
    expect(await named({ by: 'user' })).toEqual([
      [8, '', 4],
      [7, '', 3],
    ]);
    expect((await named({ by: 'team' })).map(([id]) => id)).toEqual([0, 5]);
    expect(await named({ start_timestamp: day, end_timestamp: 2 * day - 1 })).toEqual([[1, 'main', 2]]);
    expect(await named({ channel: 2 })).toEqual([[2, '', 4]]);
    expect(await named({ model_name: 'gpt-4o' })).toEqual([[1, 'main', 3]]);
  });

  it('add up, in every grouping and of any rows: charge = cost + margin', async () => {
    const calls = fc.array(
      fc.record({
        quota: fc.nat(1e9),
        cost: fc.option(fc.nat(2e9)),
        channel_id: fc.nat(2),
        team_id: fc.nat(2),
        user_id: fc.nat(2),
        token_id: fc.constantFrom(0, 9),
        refunded: fc.integer({ min: -1e9, max: 1e9 }),
        type: fc.constantFrom(logType.consume, logType.refund),
        created_at: fc.nat(3 * day),
      }),
      { minLength: 1, maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(calls, async (rows) => {
        await db.deleteFrom('logs').execute();
        const charges = rows.map((each, at) => {
          const { refunded, ...fields } = each;
          return { refunded, row: row({ ...fields, request_id: `call-${at}` }) };
        });
        await logs.insert(
          db,
          charges.map((each) => each.row),
        );
        await logs.refund(
          db,
          charges.map(({ refunded, row: { request_id: requestId } }) => ({ requestId, quota: refunded })),
        );
        const known = rows.filter(({ cost, type }) => cost !== null && type === logType.consume);
        const charge = known.reduce((sum, { quota, refunded }) => sum + quota - refunded, 0);
        const cost = known.reduce((sum, each) => sum + (each.cost ?? 0), 0);
        for (const by of ['channel', 'model', 'user', 'team', 'day'] as const) {
          const found = await sums({ by });
          expect(found.total).toMatchObject({ charge, cost, margin: charge - cost });
          for (const each of found.rows) expect(each.cost + each.margin).toBe(each.charge);
        }
      }),
      { numRuns: 15 },
    );
  });
});
