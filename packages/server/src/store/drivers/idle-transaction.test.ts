import { describe, expect, it } from 'vitest';
import { inTransaction } from '../db.ts';
import { depthOf, freshServer, missingServer } from '../each-dialect.ts';
import { migrate } from '../migrate.ts';
import { openStore } from '../open.ts';
import * as options from '../tables/options.ts';

for (const kind of ['postgres', 'mysql'] as const) {
  const missing = missingServer(kind);
  describe.skipIf(missing !== undefined)(
    `a transaction that stands still on ${kind}${missing ? ` (${missing})` : ''}`,
    depthOf(kind),
    () => {
      it('loses its locks to those who wait for them, and is run again when its process resumes', async () => {
        const url = await freshServer(kind);
        const frozen = await openStore({ url, idleTransactionMs: 1_000 });
        await migrate(frozen);
        const other = await openStore({ url });
        await options.put(other.db, 'a', 'before');
        const isLocked = Promise.withResolvers<void>();
        const isAwake = Promise.withResolvers<void>();
        const read: (string | undefined)[] = [];
        const work = inTransaction(frozen.db, async (trx) => {
          read.push((await options.find(trx, 'a'))?.value);
          await options.put(trx, 'a', 'frozen');
          isLocked.resolve();
          if (read.length === 1) await isAwake.promise;
          await options.put(trx, 'b', 'frozen');
        });
        await isLocked.promise;
        await options.put(other.db, 'a', 'other');
        isAwake.resolve();
        await work;
        expect(read).toEqual(['before', 'other']);
        expect((await options.all(other.db)).map(({ value }) => value)).toEqual(['frozen', 'frozen']);
        await Promise.all([frozen.close(), other.close()]);
      });
    },
  );
}
