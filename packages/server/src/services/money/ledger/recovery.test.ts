import { type Bill, price, recomputeQuota, usageOf } from '@tollgate/contract';
import { beforeEach, expect, it, vi } from 'vitest';
import { heartbeats, type Store } from '../../../store/index.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import { buildPrice } from '../../../testing/build-price.ts';
import { crashRow, noteProgress } from '../../calls/metering/index.ts';
import { checkBooks } from './checks.ts';
import {
  addChannel,
  addPerson,
  bill,
  readFigures,
  hold,
  openLedger,
  unique,
  holdRequest,
} from './testing/test-bed.ts';
import { LedgerUnavailable } from './plan/types.ts';

eachDialect('recovery', ({ open, openAgain }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });

  it('charges what was delivered before the crash and gives the rest back', async () => {
    const dying = openLedger(store, { node: 'a' });
    const channelId = await addChannel(store);
    const person = await addPerson(store, dying, { balance: 1000, allowance: 600 });
    const [delivered, silent] = [unique('r'), unique('r')];
    await hold(dying, { ...holdRequest(person, delivered, 300), channelId });
    await hold(dying, holdRequest(person, silent, 300));
    void dying.mark(delivered, 70);
    await dying.flush();
    dying.abandon();

    const ledger = openLedger(store, { node: 'a' });
    expect(await ledger.recover()).toEqual({ settled: 1, released: 1, charged: 70 });
    expect(await ledger.recover()).toEqual({ settled: 0, released: 0, charged: 0 });
    expect(await readFigures(store, person)).toMatchObject({
      balance: 930,
      held: 0,
      remain: 530,
      requests: 1,
    });
    const log = await store.db.selectFrom('logs').selectAll().where('request_id', '=', delivered).execute();
    expect(log).toMatchObject([
      { quota: 70, username: person.username, model_name: 'm', channel_id: channelId, type: 2 },
    ]);
    const entry = await store.db
      .selectFrom('ledger')
      .select('note')
      .where('txn', '=', delivered)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(entry.note)).toEqual({ recovered: true, hold: 300, at: 1_700_000_000, tokens: 0 });
    await ledger.close();
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('charges by the last mark of a hold that was extended since', async () => {
    const dying = openLedger(store, { node: 'a' });
    const person = await addPerson(store, dying, { balance: 1000 });
    const id = unique('r');
    const prices = buildPrice({ modelRatio: 2, completionRatio: 3 });
    const usage = usageOf({ input: 10, output: 6 });
    const note = '{"model":"m","tags":{"team":"a"}}';
    await hold(dying, { ...holdRequest(person, id, 300), request: note });
    void dying.mark(id, price(usage, prices).quota, noteProgress(note, usage, prices));
    await dying.flush();
    expect(await dying.extend(id, 100)).toBe(true);
    dying.abandon();
    const ledger = openLedger(store, { node: 'a', crashRow });
    expect(await ledger.recover()).toMatchObject({ settled: 1, charged: 56 });
    const row = await store.db
      .selectFrom('logs')
      .selectAll()
      .where('request_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ quota: 56, prompt_tokens: 10, completion_tokens: 6, model_name: 'm' });
    expect(row.tags).toBe('{"team":"a"}');
    await ledger.close();
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('writes the log row from the terms of the last mark, or from those of the mark before it where there are no others', async () => {
    const dying = openLedger(store, { node: 'a' });
    const person = await addPerson(store, dying, { balance: 1000 });
    const [described, plain] = [unique('r'), unique('r')];
    const prices = buildPrice({ modelRatio: 2, completionRatio: 3 });
    const usage = usageOf({ input: 10, output: 5, reasoning: 1 });
    for (const id of [described, plain])
      await hold(dying, { ...holdRequest(person, id, 300), request: '{"model":"m"}' });
    void dying.mark(described, 20, noteProgress('{"model":"m"}', usageOf({ input: 10 }), prices));
    void dying.mark(described, price(usage, prices).quota, noteProgress('{"model":"m"}', usage, prices));
    void dying.mark(plain, 56);
    await dying.flush();
    dying.abandon();
    const ledger = openLedger(store, { node: 'a', crashRow });
    expect(await ledger.recover()).toMatchObject({ settled: 2, charged: 112 });
    const readRow = async (id: string) =>
      store.db.selectFrom('logs').selectAll().where('request_id', '=', id).executeTakeFirstOrThrow();
    const row = await readRow(described);
    expect(row).toMatchObject({ quota: 56, prompt_tokens: 10, completion_tokens: 6, model_name: 'm' });
    const other = JSON.parse(row.other) as { receipt: Bill; end_reason: string; hold: number };
    expect(other).toMatchObject({ end_reason: 'crash', hold: 300 });
    expect(other.receipt.terms.map(({ what, count }) => [what, count])).toEqual([
      ['input', 10],
      ['output', 5],
      ['reasoning', 1],
    ]);
    expect(recomputeQuota(other.receipt)).toBe(56);
    expect(await readRow(plain)).toMatchObject({ quota: 56, prompt_tokens: 0 });
    await ledger.close();
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('leaves the holds that this process runs alone', async () => {
    const ledger = openLedger(store);
    const person = await addPerson(store, ledger, { balance: 1000 });
    const id = unique('r');
    await hold(ledger, holdRequest(person, id, 300));
    expect(await ledger.recover()).toEqual({ settled: 0, released: 0, charged: 0 });
    expect(await ledger.settle(bill(person, id, 10))).toMatchObject({ charged: 10 });
    await ledger.close();
  });

  it('ends a hold whatever its notes contain', async () => {
    const dying = openLedger(store, { node: 'a' });
    const person = await addPerson(store, dying, { balance: 1000 });
    for (const request of ['', 'null', '{', '[]', '{"model":null}']) {
      const id = unique('r');
      await hold(dying, { ...holdRequest(person, id, 10), request });
      void dying.mark(id, 1);
    }
    await dying.flush();
    dying.abandon();
    const ledger = openLedger(store, { node: 'a' });
    expect(await ledger.recover()).toMatchObject({ settled: 5 });
    await ledger.close();
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('loses nothing that was acknowledged and keeps nothing that was not', async () => {
    const dying = openLedger(store, { node: 'a' });
    const person = await addPerson(store, dying, { balance: 100_000 });
    const acknowledged: string[] = [];
    const ids = Array.from({ length: 60 }, () => unique('r'));
    const running = ids.map(async (id, i) => {
      await hold(dying, holdRequest(person, id, 100));
      await dying.settle(bill(person, id, 50 + i));
      acknowledged.push(id);
      if (acknowledged.length === 20) dying.abandon();
    });
    const ended = await Promise.allSettled(running);
    const refused = ended.filter((result) => result.status === 'rejected');
    expect(refused.filter(({ reason }) => !(reason instanceof LedgerUnavailable))).toEqual([]);
    const again = await openAgain();
    const ledger = openLedger(again, { node: 'a' });
    await ledger.recover();
    const booked = await again.db.selectFrom('ledger').select('txn').where('kind', '=', 'usage').execute();
    const txns = new Set(booked.map(({ txn }) => txn));
    expect(acknowledged.filter((id) => !txns.has(id))).toEqual([]);
    await ledger.close();
    expect(await checkBooks(again.db, { atRest: true })).toEqual([]);
  });
});

eachDialect('recovery beside another process', ({ open, openAgain }) => {
  /** A store that counts as a database server shared by several processes, on any database. */
  const shared = (store: Store): Store => {
    const { kind, db, reports, dialect } = store;
    return { kind, db, reports, dialect, close: () => store.close() };
  };

  /** A process that watches another one: it checks once a second by its own clock. */
  function watcher(store: Store) {
    let seconds = 0;
    const ledger = openLedger(store, { node: 'mine', monotonic: () => seconds * 1_000 });
    return {
      ledger,
      /** Advances `count` seconds with a check after each; returns the number of released holds. */
      async look(count: number): Promise<number> {
        let released = 0;
        for (let second = 0; second < count; second += 1) {
          seconds += 1;
          released += (await ledger.recoverOthers()).released;
        }
        return released;
      },
      /** Advances the time without a check. */
      sleep(count: number): void {
        seconds += count;
      },
    };
  }

  async function firstHeartbeat(store: Store): Promise<void> {
    await expect.poll(async () => (await heartbeats.lastCounts(store.db, ['other'])).size).toBe(1);
  }

  /** Another process that died with a hold; its last heartbeat is still stored. */
  async function deadHolder(store: Store) {
    const other = openLedger(store, { node: 'other' });
    const person = await addPerson(store, other, { balance: 1000 });
    await hold(other, holdRequest(person, unique('r'), 300));
    await firstHeartbeat(store);
    other.abandon();
    return person;
  }

  it('releases within 15 s what a dead process held, and not before 10 s without a heartbeat', async () => {
    const store = shared(await open());
    const person = await deadHolder(store);
    const watching = watcher(store);
    expect(await watching.look(10)).toBe(0);
    expect(await readFigures(store, person)).toMatchObject({ balance: 1000, held: 300 });
    expect(await watching.look(3)).toBe(1);
    expect(await readFigures(store, person)).toMatchObject({ balance: 1000, held: 0 });
    await watching.ledger.close();
  });

  it('does not take its own pause, or that of the database, for the death of another process', async () => {
    const store = shared(await open());
    const person = await deadHolder(store);
    const watching = watcher(store);
    expect(await watching.look(2)).toBe(0);
    // The watcher was frozen or without a database, and so may the other be: its ten seconds start again now.
    watching.sleep(60);
    expect(await watching.look(10)).toBe(0);
    expect(await watching.look(3)).toBe(1);
    expect(await readFigures(store, person)).toMatchObject({ balance: 1000, held: 0 });
    await watching.ledger.close();
  });

  it('fences a process that was frozen and resumes: its hold is gone, it gets no more, and is charged once', async () => {
    const store = shared(await open());
    // Its timers never run, so it sends no heartbeats.
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const frozen = openLedger(shared(await openAgain()), { node: 'other' });
    vi.useRealTimers();
    await firstHeartbeat(store);
    const person = await addPerson(store, frozen, { balance: 1000 });
    const id = unique('r');
    await hold(frozen, holdRequest(person, id, 300));
    const watching = watcher(store);
    expect(await watching.look(13)).toBe(1);
    await expect(frozen.extend(id, 100)).rejects.toBeInstanceOf(LedgerUnavailable);
    expect(await frozen.settle(bill(person, id, 200))).toMatchObject({ charged: 200 });
    expect(await frozen.settle(bill(person, id, 200))).toMatchObject({ charged: 200 });
    expect(await readFigures(store, person)).toMatchObject({ balance: 800, held: 0, requests: 1 });
    await Promise.all([watching.ledger.close(), frozen.close()]);
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('leaves a process with a heartbeat alone', async () => {
    const store = shared(await open());
    const other = openLedger(store, { node: 'other' });
    const person = await addPerson(store, other, { balance: 1000 });
    await hold(other, holdRequest(person, unique('r'), 300));
    let now = 0;
    const ledger = openLedger(store, { node: 'mine', monotonic: () => now });
    for (const count of [101, 102, 103, 104, 105]) {
      await heartbeats.write(store.db, 'other', count);
      expect(await ledger.recover()).toMatchObject({ released: 0 });
      now += 4_000;
    }
    await Promise.all([ledger.close(), other.close()]);
  });
});
