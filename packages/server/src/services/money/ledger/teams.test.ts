import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../../../store/each-dialect.ts';
import { migrate, type Store } from '../../../store/index.ts';
import { checkBooks } from './checks.ts';
import type { Ledger } from './ledger.ts';
import { InsufficientQuota } from './plan/types.ts';
import { bill, readFigures, hold, holdRequest, openLedger, unique } from './testing/test-bed.ts';
import {
  addMember,
  addTeam,
  limitMember,
  type Member,
  memberFigures,
  type Team,
} from './testing/team-bed.ts';

eachDialect('a shared wallet', ({ open }) => {
  let store: Store;
  let ledger: Ledger;
  let team: Team;
  beforeEach(async () => {
    store = await open();
    ledger = openLedger(store);
    team = await addTeam(store, ledger, { balance: 1_000 });
  });
  afterEach(async () => {
    expect(await checkBooks(store.db)).toEqual([]);
    await ledger.close();
  });

  const call = async (member: Member, held: number, cost: number) => {
    const id = unique('call');
    await hold(ledger, holdRequest(member, id, held));
    return ledger.settle(bill(member, id, cost));
  };

  it('pays for every member, and each call counts against wallet, key and member', async () => {
    const one = await addMember(store, ledger, team, { limit: 400, allowance: 300, own: 70 });
    const two = await addMember(store, ledger, team, {});
    await call(one, 100, 60);
    await call(two, 100, 40);
    expect(await readFigures(store, one)).toMatchObject({ balance: 900, held: 0, remain: 240, used: 0 });
    expect(await memberFigures(store, one)).toEqual({ left: 340, held: 0, used: 60 });
    expect(await memberFigures(store, two)).toEqual({ left: -40, held: 0, used: 40 });
    const own = await store.db
      .selectFrom('accounts')
      .selectAll()
      .where('id', '=', one.ownAccountId)
      .execute();
    expect(own).toMatchObject([{ balance: 70, held: 0 }]);
  });

  it('counts as used by a user what their own wallet paid, and migrates totals that counted team calls, too', async () => {
    const member = await addMember(store, ledger, team, { own: 500 });
    await call(member, 100, 60);
    await call({ ...member, accountId: member.ownAccountId, memberId: 0 }, 100, 25);
    await ledger.flush();
    const used = async () => (await readFigures(store, member)).used;
    expect(await used()).toBe(25);
    // An earlier version counted both.
    await store.db.updateTable('users').set({ used_quota: 85 }).where('id', '=', member.userId).execute();
    await sql`delete from migrations where name = '0019-used-by-own-wallet'`.execute(store.db);
    await migrate(store);
    expect(await used()).toBe(25);
  });

  it('reports what is short: the wallet, the key, or the member', async () => {
    const limited = await addMember(store, ledger, team, { limit: 50 });
    const short = await addMember(store, ledger, team, { allowance: 20 });
    const free = await addMember(store, ledger, team, {});
    const readReason = async (member: Member, amount: number) =>
      hold(ledger, holdRequest(member, unique('r'), amount)).then(
        () => 'held',
        (error: unknown) => (error instanceof InsufficientQuota ? [error.reason, error.available] : error),
      );
    expect(await readReason(limited, 51)).toEqual(['member', 50]);
    expect(await readReason(short, 21)).toEqual(['token', 20]);
    expect(await readReason(free, 1_001)).toEqual(['account', 1_000]);
    expect(await readReason(limited, 50)).toBe('held');
    expect(await readReason(limited, 1)).toEqual(['member', 0]);
  });

  it('extends no hold beyond the limit of its member', async () => {
    const member = await addMember(store, ledger, team, { limit: 100 });
    const id = unique('r');
    await hold(ledger, holdRequest(member, id, 60));
    expect(await ledger.extend(id, 41)).toBe(false);
    expect(await ledger.extend(id, 40)).toBe(true);
    expect(await memberFigures(store, member)).toMatchObject({ left: 100, held: 100 });
    await ledger.settle(bill(member, id, 100));
    expect(await memberFigures(store, member)).toEqual({ left: 0, held: 0, used: 100 });
  });

  it('counts a limit from what was used, including use without a limit, after any number of changes', async () => {
    const member = await addMember(store, ledger, team, {});
    const running = unique('r');
    await hold(ledger, holdRequest(member, running, 30));
    await call(member, 100, 80);
    await limitMember(store, ledger, member.memberId, 200);
    expect(await memberFigures(store, member)).toMatchObject({ left: 120 });
    await ledger.settle(bill(member, running, 30));
    expect(await memberFigures(store, member)).toMatchObject({ left: 90, used: 110 });
    await limitMember(store, ledger, member.memberId, null);
    await call(member, 300, 250);
    await limitMember(store, ledger, member.memberId, 400);
    expect(await memberFigures(store, member)).toEqual({ left: 40, held: 0, used: 360 });
    await limitMember(store, ledger, member.memberId, 10);
    expect(await memberFigures(store, member)).toMatchObject({ left: 0 });
    await expect(call(member, 1, 1)).rejects.toThrow(InsufficientQuota);
  });

  it('charges holds that a crash left at their mark, to wallet, key and member alike', async () => {
    const member = await addMember(store, ledger, team, { limit: 500, allowance: 600 });
    const [delivered, not] = [unique('r'), unique('r')];
    for (const id of [delivered, not]) await hold(ledger, holdRequest(member, id, 100));
    void ledger.mark(delivered, 70);
    await ledger.flush();
    expect(await memberFigures(store, member)).toMatchObject({ left: 500, held: 200 });
    ledger.abandon();
    ledger = openLedger(store);
    expect(await ledger.recover()).toEqual({ settled: 1, released: 1, charged: 70 });
    expect(await readFigures(store, member)).toMatchObject({ balance: 930, held: 0, remain: 530 });
    expect(await memberFigures(store, member)).toEqual({ left: 430, held: 0, used: 70 });
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('moves money in and out with an entry on each side, once, and never what a call holds', async () => {
    const member = await addMember(store, ledger, team, { own: 300 });
    const { ownAccountId: own, accountId: wallet, userId } = member;
    const input = { txn: unique('move'), from: own, to: wallet, amount: 200, userId };
    expect(await ledger.move(input)).toMatchObject({ applied: true, before: 300, after: 100 });
    expect(await ledger.move(input)).toMatchObject({ applied: false });
    await expect(ledger.move({ ...input, txn: unique('move'), amount: 101 })).rejects.toThrow(
      InsufficientQuota,
    );
    const id = unique('r');
    await hold(ledger, holdRequest(member, id, 900));
    const out = { from: wallet, to: own, userId };
    await expect(ledger.move({ ...out, txn: unique('move'), amount: 301 })).rejects.toThrow(
      InsufficientQuota,
    );
    expect(await ledger.move({ ...out, txn: unique('move'), amount: 'all' })).toMatchObject({
      amount: 300,
      after: 900,
      held: 900,
    });
    await ledger.settle(bill(member, id, 900));
    expect(await readFigures(store, member)).toMatchObject({ balance: 0, held: 0 });
    const entries = await store.db
      .selectFrom('ledger')
      .select(['account_id', 'account_delta', 'outside_delta'])
      .where('kind', '=', 'team')
      .orderBy('id')
      .execute();
    expect(entries.map((entry) => [entry.account_id, entry.account_delta])).toEqual([
      [own, -200],
      [wallet, 200],
      [wallet, -300],
      [own, 300],
    ]);
    expect(entries.every((entry) => entry.account_delta + entry.outside_delta === 0)).toBe(true);
  });

  it('moves every unit once under concurrent transfers both ways', async () => {
    const members = await Promise.all(
      Array.from({ length: 4 }, () => addMember(store, ledger, team, { own: 1_000 })),
    );
    const moves = Array.from({ length: 80 }, (_, n) => {
      const { ownAccountId: own, accountId: wallet, userId } = members[n % 4]!;
      const [from, to] = n % 3 === 0 ? [wallet, own] : [own, wallet];
      return ledger.move({ txn: unique('move'), from, to, amount: 37, userId }).catch((error: unknown) => {
        if (!(error instanceof InsufficientQuota)) throw error;
      });
    });
    await Promise.all(moves);
    const rows = await store.db.selectFrom('accounts').selectAll().execute();
    expect(rows.reduce((sum, { balance }) => sum + balance, 0)).toBe(5_000);
  });
});
