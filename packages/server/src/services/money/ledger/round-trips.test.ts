import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { migratedServer, missingServer } from '../../../store/each-dialect.ts';
import { openStore, type Store } from '../../../store/index.ts';
import {
  addChannel,
  addPerson,
  bill,
  hold,
  holdRequest,
  openLedger,
  type Person,
  unique,
} from './testing/test-bed.ts';

/** Records the messages to the server: the statements of each round trip. */
function followTrips(): string[][] {
  const trips: string[][] = [];
  const follow = (on: object, method: string, note: (given: unknown) => void) => {
    const own = Reflect.get(on, method) as (this: unknown, ...given: unknown[]) => unknown;
    vi.spyOn(on as Record<string, typeof own>, method).mockImplementation(function (this: unknown, ...given) {
      note(given[0]);
      return own.apply(this, given);
    });
  };
  follow(pg.Client.prototype, 'query', () => void trips.push([]));
  follow(pg.Connection.prototype, 'query', (text) => void trips.at(-1)!.push(text as string));
  follow(
    pg.Connection.prototype,
    'parse',
    (sent) => void trips.at(-1)!.push((sent as { text: string }).text),
  );
  return trips;
}

const missing = missingServer('postgres');

describe.skipIf(missing !== undefined)('a batch of the ledger on PostgreSQL', () => {
  let store: Store;
  let ledger: ReturnType<typeof openLedger>;
  let people: Person[];
  beforeAll(async () => {
    store = await openStore({ url: await migratedServer('postgres') });
    ledger = openLedger(store);
    people = [];
    for (const allowance of [null, 1_000_000])
      people.push(await addPerson(store, ledger, { balance: 1_000_000, allowance }));
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(async () => {
    await ledger.close();
    await store.close();
  });

  it('waits three times for the server, however many calls it has: begin and read, write, commit', async () => {
    const channelId = await addChannel(store);
    const calls = Array.from({ length: 32 }, (_, i) => ({ id: unique('call'), person: people[i % 2]! }));
    const trips = followTrips();
    await Promise.all(calls.map(({ id, person }) => hold(ledger, holdRequest(person, id, 100))));
    await Promise.all(calls.map(({ id, person }) => ledger.settle(bill(person, id, 70, channelId))));
    // Two locks, holds; accounts, tokens, holds.
    const holding = [1 + 3, 3, 1];
    // Two locks, holds, entries; accounts, tokens, entries, holds, users, channels, sums, the mark of an old hour, log rows.
    const settling = [1 + 4, 9, 1];
    expect(trips.map((statements) => statements.length)).toEqual([...holding, ...settling]);
  });
});
