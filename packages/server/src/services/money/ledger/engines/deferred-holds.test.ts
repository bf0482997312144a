import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { migrate, openStore, type Store } from '../../../../store/index.ts';
import { checkBooks } from '../checks.ts';
import { defaultEngineSettings } from './engine.ts';
import type { Ledger } from '../ledger.ts';
import { SqliteEngine } from './sqlite-engine.ts';
import {
  addPerson,
  bill,
  readFigures,
  recordingLog,
  openLedger,
  type Person,
  unique,
  holdRequest,
} from '../testing/test-bed.ts';
import { InsufficientQuota } from '../plan/types.ts';

describe('a deferred hold, where answers come soon', () => {
  let store: Store;
  let ledger: Ledger;
  let engine: SqliteEngine;
  let person: Person;

  const take = async (id: string, amount: number) =>
    engine.reserve({ ...holdRequest(person, id, amount), deferrable: true });
  const rows = () => store.db.selectFrom('holds').select('request_id').execute();

  async function open(deferMs: number): Promise<void> {
    engine = new SqliteEngine(store.sqlite!, store.dialect, {
      log: recordingLog(),
      clock: () => 0,
      node: 'test',
      settings: { ...defaultEngineSettings, gapMs: 0, deferMs },
    });
    // These calls let the engine expect early answers.
    for (let call = 0; call < 40; call += 1) await callOnce(1);
  }

  async function callOnce(cost: number): Promise<void> {
    const id = unique('r');
    await take(id, cost);
    await engine.settle(bill(person, id, cost));
  }

  beforeEach(async () => {
    store = await openStore({ url: 'sqlite::memory:' });
    await migrate(store);
    ledger = openLedger(store);
    person = await addPerson(store, ledger, { balance: 1_040, allowance: 10_000 });
    return async () => {
      await engine.close();
      await ledger.close();
      await store.close();
    };
  });

  it('is left out of batches that other operations need, and never becomes a row', async () => {
    await open(60_000);
    const id = unique('r');
    const given = await take(id, 100);
    for (let call = 0; call < 5; call += 1) await callOnce(10);
    expect(await rows()).toEqual([]);
    expect(await readFigures(store, person)).toMatchObject({ balance: 950, held: 0 });
    expect(await checkBooks(store.db)).toEqual([]);
    expect(await engine.settle(bill(person, id, 60))).toMatchObject({ charged: 60, balance: 890 });
    await given.durable;
    expect(await readFigures(store, person)).toMatchObject({ balance: 890, held: 0 });
  });

  it('counts against the balance all the same', async () => {
    await open(60_000);
    const id = unique('r');
    await take(id, 600);
    await callOnce(10);
    await expect(take(unique('r'), 391)).rejects.toThrow(InsufficientQuota);
    await engine.release(id);
  });

  it('is written after its deferral when no answer comes', async () => {
    await open(20);
    const id = unique('r');
    const given = await take(id, 100);
    await callOnce(10);
    await given.durable;
    expect(await rows()).toEqual([{ request_id: id }]);
    expect(await readFigures(store, person)).toMatchObject({ balance: 990, held: 100 });
    expect(await checkBooks(store.db)).toEqual([]);
  });

  it('is written when a caller waits for it, for its extension or for a flush', async () => {
    await open(60_000);
    const ids = [unique('r'), unique('r'), unique('r')] as const;
    const given = await Promise.all(ids.map((id) => take(id, 100)));
    await callOnce(10);
    expect(await rows()).toEqual([]);
    engine.endDeferral(ids[0]);
    await given[0]?.durable;
    expect(await rows()).toEqual([{ request_id: ids[0] }]);
    expect(await engine.extend(ids[1], 50)).toBe(true);
    await given[1]?.durable;
    expect(await readFigures(store, person)).toMatchObject({ held: 250 });
    await engine.flush();
    await given[2]?.durable;
    expect(await readFigures(store, person)).toMatchObject({ held: 350 });
    expect(await checkBooks(store.db)).toEqual([]);
  });

  it("still counts after its payer's row is read again for another call", async () => {
    await open(60_000);
    const given = await take(unique('r'), 100);
    await callOnce(10);
    await store.db.updateTable('tokens').set({ name: 'another' }).where('id', '=', person.tokenId).execute();
    engine.forget({
      accounts: new Set([person.accountId]),
      tokens: new Set([person.tokenId]),
      members: new Set(),
      budgets: new Set(),
    });
    await take(unique('r'), 200);
    await given.durable;
    await engine.flush();
    expect(await readFigures(store, person)).toMatchObject({ balance: 990, held: 300 });
    expect(await checkBooks(store.db)).toEqual([]);
  });

  it('is planned again with the others when the rows differ from what is remembered', async () => {
    await open(60_000);
    const id = unique('r');
    const given = await take(id, 100);
    given.durable.catch(() => undefined);
    await callOnce(10);
    // A change that another process may make meanwhile.
    const set = (balance: number) =>
      store.db.updateTable('accounts').set({ balance }).where('id', '=', person.accountId).execute();
    await set(500);
    await callOnce(10);
    expect(await readFigures(store, person)).toMatchObject({ balance: 490, held: 100 });
    await given.durable;
    const late = unique('r');
    const lost = await take(late, 300);
    lost.durable.catch(() => undefined);
    await callOnce(10);
    expect(await readFigures(store, person)).toMatchObject({ balance: 480, held: 100 });
    await set(150);
    await expect(engine.settle(bill(person, late, 300))).rejects.toThrow(InsufficientQuota);
    await expect(lost.durable).rejects.toThrow(InsufficientQuota);
    // Amounts paid in and charged, for the final check of the books.
    await set(1_040 - 40 - 30);
    expect(await checkBooks(store.db)).toEqual([]);
  });

  it('leaves the books right after any order of operations', async () => {
    await open(2);
    let random = 7;
    const below = (limit: number): number => (random = (random * 48_271) % 2_147_483_647) % limit;
    const running = new Set<string>();
    let charged = 40;
    const findings: unknown[] = [];
    for (let step = 0; step < 1_500; step += 1) {
      const [id] = [...running].slice(below(Math.max(1, running.size)));
      const what = below(10);
      if (what < 4 || id === undefined) {
        const next = unique('r');
        const isTaken = await take(next, 1 + below(20)).catch(() => undefined);
        if (isTaken) running.add(next);
      } else if (what < 7) {
        running.delete(id);
        const settling = engine.settle(bill(person, id, below(3)));
        const noted = settling.then((settled) => {
          charged += settled.charged;
        });
        if (below(2) === 0) await noted;
      } else if (what === 7) {
        running.delete(id);
        await engine.release(id);
      } else if (what === 8) await engine.extend(id, 1 + below(5));
      else engine.endDeferral(id);
      if (below(3) === 0) await nextTurn();
      if (step % 100 === 0) findings.push(...(await checkBooks(store.db)));
    }
    for (const id of running) {
      const settled = await engine.settle(bill(person, id, 1));
      charged += settled.charged;
    }
    await engine.flush();
    expect(await rows()).toEqual([]);
    expect(findings).toEqual([]);
    expect(await checkBooks(store.db)).toEqual([]);
    expect(await readFigures(store, person)).toMatchObject({ balance: 1_040 - charged, held: 0 });
  });
});
