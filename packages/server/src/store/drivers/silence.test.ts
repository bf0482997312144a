import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTcpSwitch } from '../../testing/failover/tcp-switch.ts';
import { inTransaction } from '../db.ts';
import { depthOf, freshServer, missingServer } from '../each-dialect.ts';
import { migrate } from '../migrate.ts';
import { openStore } from '../open.ts';
import * as options from '../tables/options.ts';

for (const kind of ['postgres', 'mysql'] as const) {
  const missing = missingServer(kind);
  describe.skipIf(missing !== undefined)(
    `a connection that goes silent on ${kind}${missing ? ` (${missing})` : ''}`,
    depthOf(kind),
    () => {
      async function openBehind(silenceMs: number) {
        const url = await freshServer(kind);
        const network = await openTcpSwitch(Number(new URL(url).port));
        const store = await openStore({ url: network.through(url), silenceMs });
        onTestFinished(async () => {
          await store.close();
          await network.close();
        });
        await migrate(store);
        return { network, store };
      }

      it('is given up, and the transaction on it runs again on another one', async () => {
        const { network, store } = await openBehind(1_000);
        let runs = 0;
        await inTransaction(store.db, async (trx) => {
          runs += 1;
          await options.put(trx, 'a', String(runs));
          if (runs === 1) network.silence();
          await options.put(trx, 'b', String(runs));
        });
        expect(runs).toBe(2);
        expect((await options.all(store.db)).map(({ value }) => value)).toEqual(['2', '2']);
      });

      it('is kept while the server works for it, however long that takes', async () => {
        const { store } = await openBehind(200);
        const pause = kind === 'postgres' ? sql`select pg_sleep(1.5)` : sql`select sleep(1.5)`;
        await inTransaction(store.db, async (trx) => {
          await options.put(trx, 'a', '1');
          await pause.execute(trx);
        });
        expect(await options.all(store.db)).toEqual([{ key: 'a', value: '1' }]);
      });
    },
  );
}
