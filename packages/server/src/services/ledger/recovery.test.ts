import { beforeEach, expect, it } from 'vitest';
import { nodeBeats, type Store } from '../../store/index.ts';
import { eachDialect } from '../../store/each-dialect.ts';
import { checkBooks } from './checks.ts';
import {
  addChannel,
  addPerson,
  bill,
  figuresOf,
  hold,
  openLedger,
  unique,
  wish,
} from './test-support/test-bed.ts';
import { LedgerUnavailable } from './types.ts';

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
    await hold(dying, { ...wish(person, delivered, 300), channelId });
    await hold(dying, wish(person, silent, 300));
    dying.mark(delivered, 70);
    await dying.flush();
    dying.abandon();

    const ledger = openLedger(store, { node: 'a' });
    expect(await ledger.recover()).toEqual({ settled: 1, released: 1, charged: 70 });
    expect(await ledger.recover()).toEqual({ settled: 0, released: 0, charged: 0 });
    expect(await figuresOf(store, person)).toMatchObject({ balance: 930, held: 0, remain: 530, requests: 1 });
    const log = await store.db.selectFrom('logs').selectAll().where('request_id', '=', delivered).execute();
    expect(log).toMatchObject([
      { quota: 70, username: person.username, model_name: 'm', channel_id: channelId, type: 2 },
    ]);
    const entry = await store.db.selectFrom('ledger').select('note').where('txn', '=', delivered).execute();
    expect(entry).toEqual([{ note: '{"recovered":true}' }]);
    await ledger.close();
    expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
  });

  it('leaves the holds that this process runs alone', async () => {
    const ledger = openLedger(store);
    const person = await addPerson(store, ledger, { balance: 1000 });
    const id = unique('r');
    await hold(ledger, wish(person, id, 300));
    expect(await ledger.recover()).toEqual({ settled: 0, released: 0, charged: 0 });
    expect(await ledger.settle(bill(person, id, 10))).toMatchObject({ charged: 10 });
    await ledger.close();
  });

  it('ends a hold whatever was noted beside it', async () => {
    const dying = openLedger(store, { node: 'a' });
    const person = await addPerson(store, dying, { balance: 1000 });
    for (const request of ['', 'null', '{', '[]', '{"model":null}']) {
      const id = unique('r');
      await hold(dying, { ...wish(person, id, 10), request });
      dying.mark(id, 1);
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
      await hold(dying, wish(person, id, 100));
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
  /** A store as database servers have it, where several processes meet, whatever it is. */
  const shared = (store: Store): Store => {
    const { kind, db, reports, dialect } = store;
    return { kind, db, reports, dialect, close: () => store.close() };
  };

  it('waits until its sign of life has stood still, by a clock that only runs forward', async () => {
    const store = shared(await open());
    const other = openLedger(shared(await openAgain()), { node: 'other' });
    const person = await addPerson(store, other, { balance: 1000 });
    await hold(other, wish(person, unique('r'), 300));
    let now = 0;
    const ledger = openLedger(store, { node: 'mine', monotonic: () => now });
    const releasedAt = async (ms: number): Promise<number> => {
      now = ms;
      return (await ledger.recover()).released;
    };
    expect([await releasedAt(0), await releasedAt(29_000), await releasedAt(31_000)]).toEqual([0, 0, 1]);
    expect(await figuresOf(store, person)).toMatchObject({ balance: 1000, held: 0 });
    await Promise.all([ledger.close(), other.close()]);
  });

  it('leaves a process alone that gives signs of life', async () => {
    const store = shared(await open());
    const other = openLedger(store, { node: 'other' });
    const person = await addPerson(store, other, { balance: 1000 });
    await hold(other, wish(person, unique('r'), 300));
    let now = 0;
    const ledger = openLedger(store, { node: 'mine', monotonic: () => now });
    for (const count of [101, 102, 103]) {
      await nodeBeats.beat(store.db, 'other', count);
      expect(await ledger.recover()).toMatchObject({ released: 0 });
      now += 60_000;
    }
    await Promise.all([ledger.close(), other.close()]);
  });
});
