/** @module-tag rounds */
import { deepEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../../../store/each-dialect.ts';
import { sha256 } from '../../../lib/hash.ts';
import { grants, redemptions, type Store } from '../../../store/index.ts';
import { BookAudit } from './audit.ts';
import { checkBooks } from './checks.ts';
import type { Ledger } from './ledger.ts';
import { InsufficientQuota } from './plan/types.ts';
import { grantHistories, GrantRun, staleBalance } from './testing/grant-run.ts';
import { addTeam } from './testing/team-bed.ts';
import {
  addPerson,
  bill,
  hold,
  holdRequest,
  openLedger,
  type Person,
  readFigures,
  unique,
} from './testing/test-bed.ts';
import { refundUsage } from './verbs/refund-usage.ts';

/** Histories per database; `npm run test:deep` asks for more. */
const runs = Number(process.env['FUZZ_RUNS'] ?? 20);

const start = 1_700_000_000;
const day = 86_400;

/** Guarantees of credit with a date, on every database. */
eachDialect('dated credit', ({ kind, open, openAgain, url }) => {
  let store: Store;
  let ledger: Ledger;
  let now: number;
  let person: Person;
  beforeEach(async () => {
    store = await open();
    now = start;
    ledger = openLedger(store, { clock: () => now * 1_000 });
    person = await addPerson(store, ledger, { balance: 100 });
    return async () => {
      await ledger.close();
      deepEqual(await checkBooks(store.db), []);
      const audit = new BookAudit(store.db);
      await audit.run();
      deepEqual((await audit.whole()).findings, []);
    };
  });

  const give = async (amount: number, expiresAt = 0, terms: { paid?: number; refundable?: boolean } = {}) => {
    const { accountId, userId } = person;
    const credit = { txn: unique('redeem'), kind: 'redeem' as const, accountId, userId, amount };
    await ledger.credit({ ...credit, terms: { expiresAt, ...terms } });
  };
  const take = async (amount: number, of: Ledger = ledger): Promise<string | undefined> => {
    const id = unique('call');
    try {
      await hold(of, holdRequest(person, id, amount));
      return id;
    } catch (error) {
      if (!(error instanceof InsufficientQuota)) throw error;
      return undefined;
    }
  };
  const use = async (amount: number) => {
    const id = await take(amount);
    await ledger.settle(bill(person, id!, amount));
    return id!;
  };
  /** Settles the grants: a credit of nothing would not. */
  const rests = async (accountId = person.accountId) => {
    await give(1);
    const rows = await grants.list(store.db, accountId, 100);
    return rows
      .toReversed()
      .slice(0, -1)
      .map(({ remain }) => remain);
  };
  const balance = async () => (await readFigures(store, person)).balance;

  it('is used before other credit, the soonest expiry first, and gifts before paid credit', async () => {
    await give(30, start + 2 * day);
    await give(20, start + day);
    await give(40, 0, { paid: 700 });
    await use(25);
    expect(await rests()).toEqual([100, 25, 0, 40]);
    await use(30);
    // The gift of 1 from the step before is younger than the first gift and not paid for.
    expect((await rests()).slice(0, 4)).toEqual([95, 0, 0, 40]);
  });

  it('of a code ends with the last of its days, by the time zone of the site', async () => {
    const { userId, accountId } = person;
    const add = async (days: number) => {
      const key = unique('code');
      const code = {
        user_id: 1,
        key_hash: sha256(key),
        key_sealed: '',
        name: 'x',
        quota: 50,
        created_time: 0,
      };
      await redemptions.create(store.db, [{ ...code, use_within_days: days }]);
      await ledger.redeem({ key, userId, timeZone: 'Asia/Shanghai', content: String });
      const [newest] = await grants.list(store.db, accountId, 1);
      return newest!.expires_at;
    };
    expect(await add(0)).toBe(0);
    // It is 06:13:20 of 15 November there.
    const end = Date.parse('2023-11-22T23:59:59+08:00') / 1_000;
    expect(await add(7)).toBe(end);
    now = end - 1;
    expect(await take(200)).toBeDefined();
    await ledger.release(
      (await store.db.selectFrom('holds').selectAll().executeTakeFirstOrThrow()).request_id,
    );
    now = end;
    expect(await take(151)).toBeUndefined();
    expect(await balance()).toBe(150);
  });

  it('is never spent after its end, though no job runs: the first hold settles it', async () => {
    await give(50, start + day);
    now = start + day;
    expect(await take(101)).toBeUndefined();
    expect(await balance()).toBe(100);
    expect(await take(100)).toBeDefined();
    const entries = await store.db.selectFrom('ledger').selectAll().where('kind', '=', 'expire').execute();
    expect(entries).toMatchObject([{ account_id: person.accountId, account_delta: -50, outside_delta: 50 }]);
    const logs = await store.db.selectFrom('logs').selectAll().where('user_id', '=', person.userId).execute();
    expect(logs.map(({ content }) => content)).toEqual(['额度 ＄0.000100 额度 已到期']);
  });

  it('is not spent by another process that has seen the balance before its end', async () => {
    await give(50, start + day);
    const other =
      kind === 'sqlite' ? ledger : openLedger(await openAgain(), { node: 'other', clock: () => now * 1_000 });
    const settings = { earlyHoldMultiple: 1 };
    const eager =
      kind === 'sqlite' ? ledger : openLedger(store, { node: 'eager', clock: () => now * 1_000, settings });
    await eager.release((await take(1, eager))!);
    await other.release((await take(1, other))!);
    now = start + day + 1;
    const held = await Promise.all(
      Array.from({ length: 40 }, (_, n) => take(10, [ledger, other, eager][n % 3])),
    );
    expect(held.filter((id) => id !== undefined).length).toBeLessThanOrEqual(10);
    expect(await balance()).toBe(100);
    if (kind === 'sqlite') return;
    await other.close();
    await eager.close();
  });

  it('that a running call holds at its end pays that call, and what the call leaves expires', async () => {
    await give(50, start + day);
    const running = await take(40);
    now = start + day;
    // 10 expire now. The 40 stay for the call, and no other hold may use them.
    expect(await take(101)).toBeUndefined();
    expect(await balance()).toBe(140);
    expect(await take(60)).toBeDefined();
    await ledger.settle(bill(person, running!, 30));
    expect(await take(41)).toBeUndefined();
    expect(await balance()).toBe(100);
    expect(await rests()).toEqual([100, 0]);
  });

  it('comes back to the grants that were used last, and without an end if they have expired', async () => {
    await give(50, start + day);
    const request = await use(60);
    const refund = async (amount: number) => {
      const txn = unique('refund');
      await ledger.change((context) =>
        refundUsage(context, { txn, requestId: request, amount, log: null, hourly: null }),
      );
    };
    await refund(15);
    expect((await rests()).slice(0, 2)).toEqual([100, 5]);
    now = start + day;
    expect(await take(1000)).toBeUndefined();
    await refund(20);
    const rows = await grants.list(store.db, person.accountId, 1);
    expect(rows).toMatchObject([{ source: 'refund', amount: 20, remain: 20, expires_at: 0 }]);
    // What is over stays so, even if the clock is set back.
    now = start;
    await refund(5);
    const [newest, ...older] = await grants.list(store.db, person.accountId, 10);
    expect(newest).toMatchObject({ source: 'refund', amount: 5, remain: 5, expires_at: 0 });
    expect(older.find(({ expires_at: end }) => end > 0)).toMatchObject({ remain: 0 });
  });

  it('keeps its end and its share of the price when it moves to another wallet and back', async () => {
    await give(30, start + day, { paid: 1_000, refundable: true });
    const team = await addTeam(store, ledger, { balance: 0 });
    const { userId, accountId } = person;
    await ledger.move({ txn: unique('in'), from: accountId, to: team.accountId, amount: 45, userId });
    expect(await grants.list(store.db, team.accountId, 10)).toMatchObject([
      { source: 'gift', remain: 15, expires_at: 0, paid: 0, refundable: 0 },
      { source: 'redeem', remain: 30, expires_at: start + day, paid: 1_000, refundable: 1 },
    ]);
    await ledger.move({ txn: unique('out'), from: team.accountId, to: accountId, amount: 'all', userId });
    now = start + day - 1;
    expect(await ledger.settleExpired(10)).toBe(0);
    now = start + day;
    expect(await ledger.settleExpired(10)).toBe(1);
    expect(await ledger.settleExpired(10)).toBe(0);
    expect(await balance()).toBe(100);
  });

  it.runIf(kind === 'sqlite')('is found by the check if a rest, a sum or a time is wrong', async () => {
    await give(30, start + day);
    const { accountId } = person;
    const plant = async (table: 'grants' | 'accounts', change: object, back: object) => {
      const column = table === 'grants' ? 'account_id' : 'id';
      const write = (values: object) =>
        store.db.updateTable(table).set(values).where(column, '=', accountId).execute();
      await write(change);
      const found = (await checkBooks(store.db)).map(({ invariant }) => invariant);
      await write(back);
      return found;
    };
    expect(await plant('accounts', { granted: 131 }, { granted: 130 })).toEqual(['I23 granted']);
    expect(await plant('accounts', { granted: 129 }, { granted: 130 })).toContain('I23 balance');
    expect(await plant('accounts', { next_expiry: 0 }, { next_expiry: start + day })).toEqual(['I23 expiry']);
    expect(await plant('accounts', { expired: 1 }, { expired: 0 })).toEqual(['I23 expired']);
    const [dated] = await grants.list(store.db, accountId, 1);
    const setRest = (remain: number) =>
      store.db.updateTable('grants').set({ remain }).where('id', '=', dated!.id).execute();
    await setRest(29);
    expect((await checkBooks(store.db)).map(({ invariant }) => invariant)).toEqual(['I23 granted']);
    await setRest(30);
  });

  it('expires once if the process is killed while it settles the expiry', async () => {
    await give(50, start + day);
    await ledger.flush();
    const program = `
      import { armFaults } from ${JSON.stringify(join(import.meta.dirname, '../../../lib/fault-point.ts'))};
      import { openStore } from ${JSON.stringify(join(import.meta.dirname, '../../../store/index.ts'))};
      import { openLedger } from ${JSON.stringify(join(import.meta.dirname, 'testing/test-bed.ts'))};
      const store = await openStore({ url: process.argv[1] });
      armFaults([{ point: 'grants-in-transaction', action: 'kill', number: 1 }]);
      const ledger = openLedger(store, { node: 'child', clock: () => ${(start + day) * 1_000} });
      await ledger.reserve(${JSON.stringify(holdRequest(person, unique('killed'), 120))});`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, url()], {
      stdio: 'inherit',
    });
    const [, signal] = (await once(child, 'exit')) as [unknown, string];
    expect(signal).toBe('SIGKILL');
    expect(await balance()).toBe(150);
    now = start + day;
    expect(await take(101)).toBeUndefined();
    expect(await take(101)).toBeUndefined();
    expect(await balance()).toBe(100);
  });

  it('has the rests of a model that takes each charge at once, for one process or two', async () => {
    const stores = kind === 'sqlite' ? [store] : [store, await openAgain()];
    const property = fc.asyncProperty(grantHistories, async (steps) => {
      const play = new GrantRun(stores);
      await play.start();
      for (const step of steps) await play.run(step);
      await play.end();
    });
    const bounds = { numRuns: runs, interruptAfterTimeLimit: 300_000, markInterruptAsFailure: true };
    const examples: [typeof staleBalance][] = [[staleBalance]];
    await expect(fc.assert(property, { ...bounds, examples })).resolves.toBeUndefined();
  }, 600_000);
});
