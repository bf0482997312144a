import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { openTcpSwitch } from '../../testing/failover/tcp-switch.ts';
import { dialectOf, inTransaction } from '../db.ts';
import { freshServer, missingServer } from '../each-dialect.ts';
import { migrate } from '../migrate.ts';
import { openStore } from '../open.ts';
import type { Db } from '../dialects/types.ts';
import * as changeMarks from '../tables/change-marks.ts';
import * as options from '../tables/options.ts';

const missing = missingServer('postgres');
const findProcess = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  return rows[0]?.pid ?? 0;
};

describe.skipIf(missing !== undefined)(`a PostgreSQL connection that dies ${missing ?? ''}`, () => {
  let url: string;
  beforeAll(async () => {
    url = await freshServer('postgres');
    const store = await openStore({ url });
    await migrate(store);
    await store.close();
  });

  it('under a transaction does not end the process; the work is run again and counted once', async () => {
    const broken: Error[] = [];
    const store = await openStore({ url, onConnectionError: (error) => void broken.push(error) });
    const killer = await openStore({ url });
    let runs = 0;
    await inTransaction(store.db, async (trx) => {
      runs += 1;
      await options.put(trx, 'a', String(runs));
      if (runs === 1) {
        const pid = await findProcess(trx);
        await sql`select pg_terminate_backend(${pid})`.execute(killer.db);
        // The server's close message has arrived when this query fails.
        await options.put(trx, 'b', '1');
      }
    });
    expect(runs).toBe(2);
    expect(await options.all(store.db)).toEqual([{ key: 'a', value: '2' }]);
    await killer.close();
    await store.close();
  });

  it('while idle in the pool is detected, and the next query gets another', async () => {
    const broken: Error[] = [];
    const store = await openStore({ url, onConnectionError: (error) => void broken.push(error) });
    const killer = await openStore({ url });
    const pid = await findProcess(store.db);
    await sql`select pg_terminate_backend(${pid})`.execute(killer.db);
    await expect.poll(() => broken.length).toBeGreaterThan(0);
    expect(await findProcess(store.db)).not.toBe(pid);
    await killer.close();
    await store.close();
  });

  it('while it listens for changes is opened anew, and a possible change is announced', async () => {
    const [store, other] = await Promise.all([openStore({ url }), openStore({ url })]);
    let heard = 0;
    const heardAfter = async (work: () => Promise<unknown>) => {
      const before = heard;
      await work();
      await expect.poll(() => heard, { interval: 5 }).toBe(before + 1);
    };
    const listeners = sql<{
      pid: number;
    }>`select pid from pg_stat_activity where application_name = 'tollgate changes' and datname = current_database()`;
    let listener = { close: () => Promise.resolve() };
    await heardAfter(async () => (listener = store.listen!(() => (heard += 1))));
    await heardAfter(() => inTransaction(other.db, (trx) => changeMarks.mark(trx, ['options'])));
    const failed = inTransaction(other.db, async (trx) => {
      await changeMarks.mark(trx, ['options']);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    await heardAfter(async () => {
      const [found] = (await listeners.execute(other.db)).rows;
      await sql`select pg_terminate_backend(${found!.pid})`.execute(other.db);
    });
    await heardAfter(() => inTransaction(other.db, (trx) => changeMarks.mark(trx, ['options'])));
    await listener.close();
    expect((await listeners.execute(other.db)).rows).toEqual([]);
    await Promise.all([store.close(), other.close()]);
  });

  it('while it listens, without a word, keeps no stop waiting', async () => {
    const network = await openTcpSwitch(Number(new URL(url).port));
    const store = await openStore({ url: network.through(url) });
    let isListening = false;
    const listener = store.listen!(() => (isListening = true));
    await expect.poll(() => isListening).toBe(true);
    network.silence();
    await listener.close();
    await store.close();
    await network.close();
  });

  it('counts as a lost connection, like an unreachable server', async () => {
    const store = await openStore({ url: 'postgres://x:y@127.0.0.1:1/none', connectTimeoutMs: 500 });
    const error: unknown = await options.all(store.db).catch((reason: unknown) => reason);
    expect(dialectOf(store.db).isConnectionLost(error)).toBe(true);
    expect(dialectOf(store.db).isConflict(error)).toBe(false);
    await store.close();
  });

  it('makes callers wait for a full pool for a bounded time', async () => {
    const store = await openStore({ url, maxConnections: 1, connectTimeoutMs: 100 });
    await inTransaction(store.db, async (trx) => {
      const error: unknown = await options.all(store.db).catch((reason: unknown) => reason);
      expect(dialectOf(trx).isConnectionLost(error)).toBe(true);
    });
    await store.close();
  });
});
