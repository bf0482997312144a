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

/** The ledger's transactions: what each sent, and how often it waited for the server. */
interface Sent {
  statements: string[];
  trips: number;
}

/** Follows the statements of each connection from `begin` to `commit`. */
function followTransactions(): Sent[] {
  const done: Sent[] = [];
  const open = new WeakMap<object, Sent & { unanswered: number }>();
  const query = Reflect.get(pg.Client.prototype, 'query') as (
    this: pg.Client,
    ...given: unknown[]
  ) => unknown;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
    const text = String(given[0]);
    if (text === 'begin') open.set(this, { statements: [], trips: 0, unanswered: 0 });
    const sent = open.get(this);
    const answer = query.apply(this, given) as Promise<unknown>;
    if (!sent) return answer;
    if (sent.unanswered === 0 || !this.pipeline) sent.trips += 1;
    sent.unanswered += 1;
    sent.statements.push(text);
    return answer.finally(() => {
      sent.unanswered -= 1;
      if (text === 'commit') done.push(sent);
    });
  } as typeof query);
  return done;
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

  it('waits four times for the server, however many calls it has: begin, read, write, commit', async () => {
    const channelId = await addChannel(store);
    const calls = Array.from({ length: 32 }, (_, i) => ({ id: unique('call'), person: people[i % 2]! }));
    const sent = followTransactions();
    await Promise.all(calls.map(({ id, person }) => hold(ledger, holdRequest(person, id, 100))));
    await Promise.all(calls.map(({ id, person }) => ledger.settle(bill(person, id, 70, channelId))));
    expect(sent.map(({ trips }) => trips)).toEqual([4, 4]);
    // Two locks, holds; accounts, tokens, holds.
    expect(sent[0]!.statements).toHaveLength(2 + 3 + 3);
    // Two locks, holds, entries; accounts, tokens, entries, holds, users, channels, sums, the mark of an old hour, log rows.
    expect(sent[1]!.statements).toHaveLength(2 + 4 + 9);
  });
});
