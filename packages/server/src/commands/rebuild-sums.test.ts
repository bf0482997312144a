import { spawnSync } from 'node:child_process';
import { logType } from '@tollgate/contract';
import { beforeEach, expect, it } from 'vitest';
import { checkBooks, rebuildTotals, refundUsage } from '../services/money/ledger/index.ts';
import {
  addChannel,
  addPerson,
  bill,
  hold,
  logOf,
  openLedger,
  type Person,
  unique,
  holdRequest,
} from '../services/money/ledger/testing/test-bed.ts';
import { addMember, addTeam, type Member } from '../services/money/ledger/testing/team-bed.ts';
import { checkHours, rebuildHours } from '../services/calls/metering/index.ts';
import { eachDialect, repeatedOn } from '../store/each-dialect.ts';
import type { Store } from '../store/index.ts';
import { bundled, bundledEnv } from '../testing/bundled.ts';

/** Times of the calls in the test-bed, and of the check of the sums. */
const called = 1_700_000_000;
const clock = () => (called + 86_400) * 1000;

eachDialect('sums', ({ kind, open, url }) => {
  let store: Store;
  let people: Person[];
  let member: Member;
  let channelId: number;

  beforeEach(async () => {
    store = await open();
    const ledger = openLedger(store);
    people = await Promise.all(
      [null, 5_000].map((allowance) => addPerson(store, ledger, { balance: 9_000, allowance })),
    );
    const team = await addTeam(store, ledger, { balance: 9_000 });
    member = await addMember(store, ledger, team, { limit: 5_000 });
    people.push(member);
    channelId = await addChannel(store);
    for (const person of people) {
      for (let i = 0; i < 20; i += 1) {
        const id = unique('call');
        await hold(ledger, holdRequest(person, id, 100));
        const settlement = bill(person, id, 10 + i, channelId);
        // Some calls are two hours earlier, in another row of the hourly sums. One call used nothing.
        const at = called - (i % 3) * 7_200;
        const log = { ...logOf(person, id, channelId), created_at: at };
        const counts = i !== 7;
        const amount = counts ? settlement.amount : 0;
        const hourly = { ...settlement.hourly!, at };
        await ledger.settle({ ...settlement, amount, counts, log, hourly });
        // Two refunds, an hour later; one is partial.
        if (i !== 3 && i !== 11) continue;
        await ledger.change((context) =>
          refundUsage(context, {
            txn: `task:${id}:refund`,
            requestId: id,
            hourly,
            log: {
              ...log,
              type: logType.refund,
              created_at: at + 3_600,
              prompt_tokens: 0,
              completion_tokens: 0,
            },
            ...(i === 11 && { amount: 5 }),
          }),
        );
      }
    }
    await ledger.close();
  });

  /** Requests with a refund, or without one. */
  const countRequests = async (isGivenBack: boolean) => {
    const rows = store.db.selectFrom('logs').select('request_id').where('type', '=', logType.consume);
    const found = await rows
      .where('refunded', isGivenBack ? '<>' : '=', 0)
      .orderBy('id')
      .execute();
    return found.map(({ request_id: requestId }) => requestId);
  };

  const snapshot = async () => {
    const { db } = store;
    return {
      users: await db
        .selectFrom('users')
        .select(['id', 'used_quota', 'request_count'])
        .orderBy('id')
        .execute(),
      tokens: await db.selectFrom('tokens').select(['id', 'used_quota']).orderBy('id').execute(),
      channels: await db.selectFrom('channels').select(['id', 'used_quota']).orderBy('id').execute(),
      charges: await db.selectFrom('logs').select(['id', 'quota', 'refunded']).orderBy('id').execute(),
      members: await db.selectFrom('team_members').select(['id', 'used_quota']).execute(),
      hours: await db
        .selectFrom('quota_data')
        .select(['user_id', 'model_name', 'created_at', 'count', 'quota', 'token_used'])
        .orderBy('user_id')
        .orderBy('created_at')
        .execute(),
    };
  };

  it('equal the ledger, so that rebuilding changes nothing', async () => {
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
    expect(await checkHours({ store, clock })).toEqual([]);
    expect((await rebuildTotals(store)).every(({ rows }) => rows === 0)).toBe(true);
    expect(await rebuildHours({ store, clock })).toBe(0);
  });

  it('that were damaged are reported, and rebuilt', async () => {
    const before = await snapshot();
    const { db } = store;
    await db
      .updateTable('users')
      .set({ used_quota: 1, request_count: 999 })
      .where('id', '=', people[0]!.userId)
      .execute();
    await db
      .updateTable('tokens')
      .set((e) => ({ used_quota: e('used_quota', '+', 5) }))
      .execute();
    await db.updateTable('channels').set({ used_quota: 0 }).execute();
    await db.updateTable('team_members').set({ used_quota: 3 }).where('id', '=', member.memberId).execute();
    const hours = await db.selectFrom('quota_data').select('id').orderBy('id').execute();
    // The log rows of the oldest hour may be partly deleted. The later hours are rebuilt.
    const [, second, third] = before.hours.filter(({ user_id: id }) => id === people[0]!.userId);
    const row = (created: number) => db.updateTable('quota_data').where('created_at', '=', created);
    await row(second!.created_at).set({ quota: 1 }).execute();
    await db.deleteFrom('quota_data').where('created_at', '=', third!.created_at).execute();
    const stray = { user_id: 77, username: 'x', model_name: 'm', token_used: 1, count: 1, quota: 1 };
    await db
      .insertInto('quota_data')
      .values({ ...stray, created_at: third!.created_at })
      .execute();
    expect(hours.length).toBeGreaterThan(4);

    // Wrong refund sums: zero for one request, too low for another, and non-zero for one without a refund.
    const given = await countRequests(true);
    const whole = await countRequests(false);
    for (const [requestId, refunded] of [
      [given[0]!, 0],
      [given[1]!, 2],
      [whole[0]!, 7],
    ] as const)
      await db
        .updateTable('logs')
        .set({ refunded })
        .where('request_id', '=', requestId)
        .where('type', '=', logType.consume)
        .execute();

    const reported = (await checkBooks(db)).map(({ invariant }) => invariant);
    expect(reported).toEqual(
      expect.arrayContaining(['I17 user used_quota', 'I17 channel used_quota', 'I17 log refunded']),
    );
    expect((await checkHours({ store, clock })).length).toBeGreaterThan(0);
    const rebuilt = await rebuildTotals(store);
    expect(rebuilt.map(({ rows }) => rows)).toEqual([1, 1, 1, 3, 1, 3]);
    await rebuildHours({ store, clock });
    expect(await snapshot()).toEqual(before);
    expect(await checkBooks(db, { atRest: true })).toEqual([]);
    expect(await checkHours({ store, clock })).toEqual([]);
  });

  it('are rebuilt while settlements go on, and none is lost', async () => {
    const ledger = openLedger(store);
    const person = people[0]!;
    const spend = async (): Promise<void> => {
      const id = unique('busy');
      await hold(ledger, holdRequest(person, id, 5));
      await ledger.settle(bill(person, id, 3, channelId));
    };
    const spoil = () =>
      store.db
        .updateTable('users')
        .set((e) => ({ used_quota: e('used_quota', '+', 1) }))
        .execute();
    for (let round = 0; round < 5; round += 1) {
      await spoil();
      await Promise.all([...Array.from({ length: 20 }, spend), rebuildTotals(store)]);
    }
    await ledger.flush();
    await rebuildTotals(store);
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
    await ledger.close();
  });

  it('are rebuilt by one command', repeatedOn(kind), async () => {
    await store.db.updateTable('users').set({ used_quota: 1 }).execute();
    const env = { ...bundledEnv(), DATABASE_URL: url() };
    const done = spawnSync(process.execPath, [bundled('rebuild-sums')], {
      env,
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect(done.stderr).toBe('');
    expect(done.stdout).toContain('I17 user used_quota: 3 rows written anew');
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });
});
