import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTcpSwitch } from '../../testing/failover/tcp-switch.ts';
import { inTransaction } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import { depthOf, migratedServer, missingServer } from '../each-dialect.ts';
import { migrate } from '../migrate.ts';
import { migrations } from '../migrations/index.ts';
import { openStore, type Store, type StoreOptions } from '../open.ts';
import * as options from '../tables/options.ts';

/** Changes the connection ID in the first server message that contains it. */
const renumber = {
  /** BackendKeyData: K, length 12, process, secret. */
  postgres(answer: Buffer): void {
    const at = answer.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]));
    if (at >= 0) answer.writeInt32BE(2_000_000_001, at + 5);
  },
  /** The greeting: sequence 0, protocol 10, version, thread. */
  mysql(answer: Buffer): void {
    if (answer[3] === 0 && answer[4] === 10) answer.writeUInt32LE(2_000_000_001, answer.indexOf(0, 5) + 1);
  },
};

/** The server ends an idle transaction, and so frees its locks, before the driver gives up the connection. */
const soon = { idleTransactionMs: 1_000, silenceMs: 2_000, statementTimeoutMs: 1_000 };

for (const kind of ['postgres', 'mysql'] as const) {
  const missing = missingServer(kind);
  describe.skipIf(missing !== undefined)(
    `a connection that goes silent on ${kind}${missing ? ` (${missing})` : ''}`,
    depthOf(kind),
    () => {
      async function openBehind(options: Partial<StoreOptions>, rewrite?: (answer: Buffer) => void) {
        const url = await migratedServer(kind);
        const network = await openTcpSwitch(Number(new URL(url).port), rewrite);
        const store = await openStore({ url: network.through(url), ...options });
        onTestFinished(async () => {
          await store.close();
          await network.close();
        });
        return { network, store };
      }

      /** Runs a transaction whose connection goes silent in the middle; returns the number of runs. */
      async function goSilent({ network, store }: Awaited<ReturnType<typeof openBehind>>) {
        let runs = 0;
        await inTransaction(store.db, async (trx) => {
          runs += 1;
          await options.put(trx, 'a', String(runs));
          if (runs === 1) network.silence();
          await options.put(trx, 'b', String(runs));
        });
        expect((await options.all(store.db)).map(({ value }) => value)).toEqual(Array(2).fill(String(runs)));
        return runs;
      }

      const pause = kind === 'postgres' ? sql`select pg_sleep(1.5)` : sql`select sleep(1.5)`;
      /** Runs a transaction that lasts a second and a half; returns all options afterwards. */
      async function workLong({ db }: Store) {
        await inTransaction(db, async (trx) => {
          await options.put(trx, 'a', '1');
          await pause.execute(trx);
        });
        return options.all(db);
      }
      const whole = [{ key: 'a', value: '1' }];

      it('is given up, and the transaction on it runs again on another one', async () => {
        expect(await goSilent(await openBehind(soon))).toBe(2);
      });

      it('takes those with it that wait in the pool: none costs as much time again', async () => {
        const { network, store } = await openBehind(soon);
        await Promise.all(Array.from({ length: 5 }, () => options.all(store.db)));
        const began = performance.now();
        expect(await goSilent({ network, store })).toBe(2);
        expect(performance.now() - began).toBeLessThan(2 * soon.silenceMs);
      });

      it('is kept while the server works for it, however long that takes', async () => {
        const { store } = await openBehind({ silenceMs: 200 });
        expect(await workLong(store)).toEqual(whole);
      });

      describe('behind a proxy that numbers connections itself', () => {
        const openRenumbered = (more: Partial<StoreOptions>) =>
          openBehind({ silenceMs: 200, ...more }, renumber[kind]);

        it('is given up', async () => {
          expect(await goSilent(await openRenumbered(soon))).toBe(2);
        });

        it('is kept for as long as a statement may run', async () => {
          const { store } = await openRenumbered({ idleTransactionMs: 10_000, statementTimeoutMs: 20_000 });
          expect(await workLong(store)).toEqual(whole);
        });

        it('is kept during a migration, whose steps have no limit', async () => {
          const { store } = await openRenumbered({});
          const long = { name: '9999-long', steps: (db: Db) => [() => pause.execute(db)] };
          await expect(migrate(store, { migrations: [...migrations, long] })).resolves.toBeUndefined();
        });
      });
    },
  );
}
