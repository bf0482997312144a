import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTcpSwitch } from '../../testing/failover/tcp-switch.ts';
import { depthOf, freshServer, missingServer } from '../each-dialect.ts';
import { openStore } from '../open.ts';

/** First query of each new connection. */
const firstWords = { postgres: /pg_backend_pid/, mysql: /set session/ };

for (const kind of ['postgres', 'mysql'] as const) {
  const missing = missingServer(kind);
  describe.skipIf(missing !== undefined)(
    `new connections to ${kind}${missing ? ` (${missing})` : ''}`,
    depthOf(kind),
    () => {
      it('that break before their first use leave the pool, and keep no stop waiting', async () => {
        const url = await freshServer(kind);
        const network = await openTcpSwitch(Number(new URL(url).port));
        onTestFinished(() => network.close());
        const store = await openStore({
          url: network.through(url),
          maxConnections: 2,
          connectTimeoutMs: 500,
        });
        network.watch((sent) => (firstWords[kind].test(sent.toString('latin1')) ? 'before' : undefined));
        const ask = () => sql`select 1`.execute(store.db);
        for (let i = 0; i < 5; i += 1)
          await expect(ask()).rejects.toThrow(/Connection (terminated|lost)|ECONNRESET/);
        network.watch(undefined);
        await ask();
        await store.close();
      });
    },
  );
}
