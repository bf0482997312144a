import { beforeEach, expect, it } from 'vitest';
import { eachDialect, repeatedOn } from '../../../store/each-dialect.ts';
import type { Store } from '../../../store/index.ts';
import { BookAudit } from './audit.ts';
import { addMember, addTeam, type Member } from './testing/team-bed.ts';
import type { Ledger } from './ledger.ts';
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
} from './testing/test-bed.ts';

eachDialect('the audit of the books', ({ kind, open }) => {
  let store: Store;
  let ledger: Ledger;
  let people: Person[];
  let member: Member;
  let channelId: number;
  let audit: BookAudit;

  beforeEach(async () => {
    store = await open();
    ledger = openLedger(store);
    people = await Promise.all(
      [null, 100_000].map((allowance) => addPerson(store, ledger, { balance: 100_000, allowance })),
    );
    const team = await addTeam(store, ledger, { balance: 100_000 });
    member = await addMember(store, ledger, team, { limit: 50_000, allowance: 100_000 });
    people.push(member);
    channelId = await addChannel(store);
    audit = new BookAudit(store.db);
    await spend(10);
    // The first run only records the end of the ledger; the second reads up to it.
    await audit.run();
    await audit.run();
    return () => ledger.close();
  });

  async function spend(calls: number): Promise<void> {
    for (const person of people) {
      for (let i = 0; i < calls; i += 1) {
        const id = unique('call');
        await hold(ledger, holdRequest(person, id, 100));
        await ledger.settle({ ...bill(person, id, 10 + i, channelId), log: logOf(person, id, channelId) });
      }
    }
    await ledger.flush();
  }

  it('reads each new entry once, while calls go on', async () => {
    expect(await audit.run()).toEqual({ findings: [], entries: 0 });
    await spend(5);
    await audit.run();
    const { findings, entries } = await audit.run();
    expect(findings).toEqual([]);
    expect(entries).toBe(15);
    await ledger.addReward({ txn: unique('reward'), inviterId: people[0]!.userId, amount: 70 });
    await ledger.transferReward({ txn: unique('transfer'), userId: people[0]!.userId, amount: 30 });
    await audit.run();
    expect(await audit.run()).toEqual({ findings: [], entries: 2 });
  });

  const tampered = [
    ['accounts', 'balance', 'I1 balance'],
    ['users', 'used_quota', 'I17 user used_quota'],
    ['users', 'request_count', 'I17 user request_count'],
    ['users', 'aff_quota', 'I15 reward'],
    ['channels', 'used_quota', 'I17 channel used_quota'],
    ['tokens', 'remain_quota', 'I18 allowance'],
    ['tokens', 'used_quota', 'I17 token used_quota'],
    ['team_members', 'remain_quota', 'I21 limit'],
    ['team_members', 'used_quota', 'I17 member used_quota'],
  ] as const;

  it.each(tampered)(
    'reports that %s.%s differs from its entries (%s)',
    repeatedOn(kind),
    async (table, column, invariant) => {
      const { accountId, userId, tokenId, memberId } = member;
      const ids = { accounts: accountId, users: userId, channels: channelId, tokens: tokenId };
      const id = { ...ids, team_members: memberId }[table];
      await store.db
        .updateTable(table)
        .set((e) => ({ [column]: e(column as never, '+', 7 as never) }))
        .where('id', '=', id)
        .execute();
      // No entry refers to the changed row: only the next full run finds it.
      expect((await audit.run()).findings).toEqual([]);
      const whole = await audit.whole();
      expect(whole.findings.map((one) => one.invariant)).toEqual([invariant]);
      expect(whole.entries).toBeGreaterThan(20);
      // The next run reads a call of this person and compares the person's rows again.
      await spend(1);
      await audit.run();
      const { findings, entries } = await audit.run();
      expect(findings.map((one) => one.invariant)).toContain(invariant);
      expect(entries).toBe(3);
    },
  );

  it('reports a log row with another price than its charge, and one that is there twice', async () => {
    await spend(2);
    const rows = await store.db.selectFrom('logs').selectAll().orderBy('id', 'desc').limit(2).execute();
    await store.db.updateTable('logs').set({ quota: 999 }).where('id', '=', rows[0]!.id).execute();
    const { id: _, ...copy } = rows[1]!;
    await store.db.insertInto('logs').values(copy).execute();
    await audit.run();
    const { findings } = await audit.run();
    expect(findings.map(({ invariant }) => invariant).toSorted()).toEqual(['I17 log', 'I6 log']);
  });

  it('reports a charge whose log row shows another refund than its entries', async () => {
    await store.db
      .updateTable('logs')
      .set({ refunded: 3 })
      .where('id', '=', (await store.db.selectFrom('logs').select('id').executeTakeFirstOrThrow()).id)
      .execute();
    const { findings } = await audit.whole();
    expect(findings.map(({ invariant }) => invariant)).toEqual(['I17 log refunded']);
  });

  it('reads everything again every so many runs', async () => {
    const read: number[] = [];
    for (let run = 0; run < 6; run += 1) read.push((await audit.next(3)).entries);
    expect(read.map((entries) => entries > 0)).toEqual([false, false, true, false, false, true]);
  });
});
