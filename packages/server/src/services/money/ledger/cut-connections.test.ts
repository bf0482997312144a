/** @module-tag rounds */
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Db, openStore, type Store } from '../../../store/index.ts';
import { eachServer } from '../../../store/each-dialect.ts';
import { openTcpSwitch, type TcpSwitch } from '../../../testing/failover/tcp-switch.ts';
import { checkBooks } from './checks.ts';
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

/** Stops per kind of failure; `npm run test:deep` asks for more. */
const stops = Number(process.env['FUZZ_RUNS'] ?? 20);
/** Time limits for waiting work: two seconds in the ledger, five in the pool. */
const longestStopMs = 15_000;

/** Ends every connection to the database except this one, which another round may end. */
async function terminateAll(db: Db, kind: Store['kind']): Promise<void> {
  if (kind === 'postgres') {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(db);
    return;
  }
  const { rows } = await sql<{ id: number }>`select id from information_schema.processlist
    where db = database() and id <> connection_id()`.execute(db);
  for (const { id } of rows) await sql`kill ${sql.lit(id)}`.execute(db).catch(() => undefined);
}

eachServer('a ledger whose connections break in the midst of a batch', ({ open, url, kind }) => {
  let direct: Store;
  let people: Person[];
  let channelId: number;
  beforeAll(async () => {
    direct = await open();
    const ledger = openLedger(direct);
    people = [];
    for (const allowance of [null, 10_000_000])
      people.push(await addPerson(direct, ledger, { balance: 10_000_000, allowance }));
    channelId = await addChannel(direct);
    await ledger.close();
  });

  const ways: Record<string, (network: TcpSwitch, at: number) => void> = {
    'cut before the server has it': (network, at) => cutAt(network, at, 'before'),
    'cut once the server has it': (network, at) => cutAt(network, at, 'after'),
    silent: (network, at) => cutAt(network, at, undefined),
    'ended by the server': (network, at) =>
      void setTimeout(() => void terminateAll(direct.db, kind).catch(() => undefined), at),
  };

  /** Breaks connections at message number `at`, and sometimes afterwards. */
  function cutAt(network: TcpSwitch, at: number, when: 'before' | 'after' | undefined): void {
    let messages = 0;
    network.watch(() => {
      messages += 1;
      if (messages < at || (messages - at) % 7 !== 0) return undefined;
      if (when === undefined && messages === at) network.silence();
      return when;
    });
  }

  /** Calls continue while connections break, and the process stops meanwhile. Returns the stop's duration in ms. */
  async function stopWhileBreaking(
    breakAt: (network: TcpSwitch, at: number) => void,
    round: number,
  ): Promise<number> {
    const network = await openTcpSwitch(Number(new URL(url()).port));
    const store = await openStore({
      url: network.through(url()),
      connectTimeoutMs: 500,
      idleTransactionMs: 1_000,
      silenceMs: 2_000,
    });
    const ledger = openLedger(store, { node: `cut-${round}` });
    const call = async (i: number): Promise<void> => {
      const [id, person] = [unique('cut'), people[i % 2]!];
      await hold(ledger, holdRequest(person, id, 100));
      await ledger.settle(bill(person, id, 70, channelId));
    };
    // It may time out on the locks of an earlier round whose connection went silent.
    await call(0).catch(() => undefined);
    breakAt(network, 1 + (round % 9));
    const calls = Promise.allSettled(
      Array.from({ length: 24 }, async (_, i) => {
        for (let next = 0; next < 4; next += 1) await call(i);
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 5 * (round % 8)));
    const began = performance.now();
    await ledger.close();
    await store.close();
    const took = performance.now() - began;
    await calls;
    await network.close();
    return took;
  }

  describe.each(Object.entries(ways))('%s', (_, breakAt) => {
    it('stops in time, and its books are right', { timeout: 600_000 }, async () => {
      for (let round = 0; round < stops; round += 4) {
        const four = Array.from({ length: 4 }, (_unused, i) => stopWhileBreaking(breakAt, round + i));
        for (const took of await Promise.all(four)) expect(took).toBeLessThan(longestStopMs);
      }
      const after = openLedger(direct, { node: 'after' });
      for (let round = 0; round < stops + 4; round += 1) await after.recoverDead(`cut-${round}`);
      await after.close();
      expect(await checkBooks(direct.db, { atRest: true })).toEqual([]);
    });
  });
});
