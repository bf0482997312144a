import { beforeEach, describe, expect, it } from 'vitest';
import { migrate, openStore, type SqliteAccess, type Store } from '../../../../store/index.ts';
import { checkBooks } from '../checks.ts';
import { defaultEngineSettings } from './engine.ts';
import { SqliteEngine } from './sqlite-engine.ts';
import {
  addPerson,
  bill,
  readFigures,
  hold,
  recordingLog,
  openLedger,
  unique,
  holdRequest,
} from '../testing/test-bed.ts';
import { InsufficientQuota, LedgerUnavailable } from '../plan/types.ts';

describe('the ledger on SQLite', () => {
  let store: Store;
  beforeEach(async () => {
    store = await openStore({ url: 'sqlite::memory:' });
    await migrate(store);
    return () => store.close();
  });

  const engineOn = (sqlite: SqliteAccess, settings = {}) =>
    new SqliteEngine(sqlite, store.dialect, {
      log: recordingLog(),
      clock: () => 0,
      node: 'test',
      settings: { ...defaultEngineSettings, gapMs: 0, ...settings },
    });

  it('grants a hold at once when it knows the payer, and writes all that come together in one transaction', async () => {
    const ledger = openLedger(store);
    const person = await addPerson(store, ledger, { balance: 1000 });
    await hold(ledger, holdRequest(person, unique('r'), 1));
    let transactions = 0;
    const sqlite = store.sqlite!;
    const counting: SqliteAccess = {
      path: sqlite.path,
      exclusive: (work) => {
        transactions += 1;
        return sqlite.exclusive(work);
      },
      transaction: (work) => sqlite.transaction(work),
    };
    const engine = engineOn(counting);
    await hold(engine, holdRequest(person, unique('r'), 1));
    transactions = 0;
    const reservations = Array.from({ length: 50 }, () =>
      engine.reserve(holdRequest(person, unique('r'), 1)),
    );
    expect(reservations.filter((given) => given instanceof Promise)).toEqual([]);
    await Promise.all(reservations.map(async (given) => (await given).durable));
    expect(transactions).toBe(1);
    await engine.close();
    await ledger.close();
  });

  it('writes a deferrable hold and its settlement together, and the hold never becomes a row', async () => {
    const ledger = openLedger(store);
    const person = await addPerson(store, ledger, { balance: 1000, allowance: 500 });
    const engine = engineOn(store.sqlite!, { deferMs: 60_000 });
    await hold(engine, holdRequest(person, unique('r'), 1));
    const id = unique('r');
    const given = await engine.reserve({ ...holdRequest(person, id, 100), deferrable: true });
    const changes = store.sqlite!.exclusive((db) => db.prepare('select total_changes() as n').get()?.['n']);
    const before = Number(await changes);
    const usage = bill(person, id, 60);
    // A row of today: a row of a past hour would also mark that hour.
    const log = { ...usage.log!, created_at: Math.floor(Date.now() / 1000) };
    expect(await engine.settle({ ...usage, log })).toMatchObject({ charged: 60, balance: 940 });
    await given.durable;
    const after = store.sqlite!.exclusive((db) => db.prepare('select total_changes() as n').get()?.['n']);
    // Account, token, user, entry, log row and hour; no hold was inserted or deleted.
    expect(Number(await after) - before).toBe(6);
    expect(await checkBooks(store.db)).toEqual([]);
    await engine.close();
    await ledger.close();
  });

  it('writes many settlements of one commit in their order, each row as if it were alone', async () => {
    const ledger = openLedger(store);
    const person = await addPerson(store, ledger, { balance: 10_000 });
    const engine = engineOn(store.sqlite!, { deferMs: 60_000 });
    await hold(engine, holdRequest(person, unique('r'), 1));
    const ids = Array.from({ length: 19 }, () => unique('r'));
    for (const id of ids) await engine.reserve({ ...holdRequest(person, id, 100), deferrable: true });
    await Promise.all(ids.map((id, index) => engine.settle(bill(person, id, index + 1))));
    const entries = await store.db
      .selectFrom('ledger')
      .select(['txn', 'account_delta', 'user_id'])
      .where('txn', 'in', ids)
      .orderBy('id')
      .execute();
    const wanted = ids.map((txn, index) => ({ txn, account_delta: -(index + 1), user_id: person.userId }));
    expect(entries).toEqual(wanted);
    const rows = await store.db
      .selectFrom('logs')
      .select(['request_id', 'quota', 'username'])
      .where('request_id', 'in', ids)
      .orderBy('id')
      .execute();
    const { username } = person;
    expect(rows).toEqual(ids.map((id, index) => ({ request_id: id, quota: index + 1, username })));
    expect(await checkBooks(store.db)).toEqual([]);
    await engine.close();
    await ledger.close();
  });

  it('writes a deferrable hold as soon as a caller waits for it', async () => {
    const ledger = openLedger(store);
    const person = await addPerson(store, ledger, { balance: 1000 });
    const engine = engineOn(store.sqlite!, { deferMs: 60_000 });
    await hold(engine, holdRequest(person, unique('r'), 1));
    const id = unique('r');
    const given = await engine.reserve({ ...holdRequest(person, id, 100), deferrable: true });
    engine.endDeferral(id);
    await given.durable;
    expect(await readFigures(store, person)).toMatchObject({ held: 101 });
    await engine.close();
    await ledger.close();
  });

  it('charges nothing for a hold that is refused when it is written, though it was settled at once', async () => {
    const ledger = openLedger(store);
    const person = await addPerson(store, ledger, { balance: 1000 });
    const engine = engineOn(store.sqlite!, { deferMs: 60_000 });
    await hold(engine, holdRequest(person, unique('r'), 1));
    const id = unique('r');
    const given = await engine.reserve({ ...holdRequest(person, id, 100), deferrable: true });
    given.durable.catch(() => undefined);
    // A change that another process may make meanwhile.
    await store.db.updateTable('accounts').set({ balance: 50 }).where('id', '=', person.accountId).execute();
    await expect(engine.settle(bill(person, id, 60))).rejects.toThrow(InsufficientQuota);
    await expect(given.durable).rejects.toThrow(InsufficientQuota);
    expect(await readFigures(store, person)).toMatchObject({ balance: 50, held: 1, requests: 0 });
    await engine.close();
    await ledger.close();
  });

  it('refuses new money after the disk has refused a sync', async () => {
    const ledger = openLedger(store);
    const person = await addPerson(store, ledger, { balance: 1000 });
    const sqlite = store.sqlite!;
    const engine = engineOn({
      path: '/nonexistent/tollgate.db',
      exclusive: (work) => sqlite.exclusive(work),
      transaction: (work) => sqlite.transaction(work),
    });
    const id = unique('r');
    await expect(hold(engine, holdRequest(person, id, 1))).rejects.toThrow(LedgerUnavailable);
    await expect(engine.settle(bill(person, id, 1))).rejects.toThrow(LedgerUnavailable);
    await expect((async () => hold(engine, holdRequest(person, unique('r'), 1)))()).rejects.toThrow(
      LedgerUnavailable,
    );
    await ledger.close();
  });

  it('keeps no more payers in memory than its bound, but all that have a request running', async () => {
    const ledger = openLedger(store, { settings: { maxKnown: 10 } });
    const people = await Promise.all(
      Array.from({ length: 40 }, () => addPerson(store, ledger, { balance: 100, allowance: 100 })),
    );
    const ids = people.map(() => unique('r'));
    await Promise.all(people.map((person, i) => hold(ledger, holdRequest(person, ids[i]!, 10))));
    await Promise.all(people.map((person, i) => ledger.settle(bill(person, ids[i]!, 7))));
    await Promise.all(people.map((person) => hold(ledger, holdRequest(person, unique('r'), 90))));
    expect(await readFigures(store, people[0]!)).toMatchObject({
      balance: 93,
      held: 90,
      remain: 93,
      tokenHeld: 90,
    });
    expect(await checkBooks(store.db)).toEqual([]);
    await ledger.close();
  });

  it('writes progress marks with the next batch, and never lowers them', async () => {
    const ledger = openLedger(store);
    const person = await addPerson(store, ledger, { balance: 100 });
    const id = unique('r');
    await hold(ledger, holdRequest(person, id, 50));
    for (const progress of [10, 30, 20]) void ledger.mark(id, progress);
    await ledger.flush();
    const row = await store.db.selectFrom('holds').select('progress').executeTakeFirst();
    expect(row).toEqual({ progress: 30 });
    ledger.abandon();
  });
});
