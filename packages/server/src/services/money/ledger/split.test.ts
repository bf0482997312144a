import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../store/index.ts';
import { depthOf, migratedServer, missingServer } from '../../../store/each-dialect.ts';
import { checkBooks } from './checks.ts';
import { LedgerUnavailable } from './plan/types.ts';
import { addPerson, bill, readFigures, hold, holdRequest, openLedger, unique } from './testing/test-bed.ts';

/** A database connection with a simulated network failure: data is dropped, and neither side is notified. */
async function openLink(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const { hostname } = target;
  const port = Number(target.port);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    const far = connect(port, hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => isCut || to.write(bytes));
      from.on('error', () => undefined);
      from.on('close', () => (sockets.delete(from), isCut || to.destroy()));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  target.port = String((server.address() as AddressInfo).port);
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: target.href,
    cut(): void {
      isCut = true;
    },
    /** The network works again; earlier connections are lost. */
    heal(): void {
      isCut = false;
      breakAll();
    },
    close(): void {
      breakAll();
      server.close();
    },
  };
}

for (const kind of ['postgres', 'mysql'] as const) {
  const missing = missingServer(kind);
  describe.skipIf(missing !== undefined)(
    `a process that is split from ${kind}${missing ? ` (${missing})` : ''}`,
    depthOf(kind),
    () => {
      it('refuses new money, lets other processes spend, and charges what it owes once', async () => {
        const url = await migratedServer(kind);
        const store = await openStore({ url });
        const link = await openLink(url);
        const farStore = await openStore({ url: link.url });
        let seconds = 0;
        const near = openLedger(store, {
          node: 'near',
          settings: { reserveWaitMs: 20_000 },
          monotonic: () => seconds * 1_000,
        });
        const split = openLedger(farStore, {
          node: 'split',
          settings: { reserveWaitMs: 3_000, settleWaitMs: 600_000, maxRetryMs: 50 },
        });
        const person = await addPerson(store, near, { balance: 1_000 });
        const running = unique('r');
        await hold(split, holdRequest(person, running, 300));
        void split.mark(running, 70);
        await split.flush();

        link.cut();
        const settling = split.settle(bill(person, running, 180));
        for (let i = 0; i < 2; i += 1) {
          const refused = Promise.resolve().then(() => hold(split, holdRequest(person, unique('r'), 10)));
          await expect(refused).rejects.toThrow(LedgerUnavailable);
        }
        const neighbours = unique('r');
        await hold(near, holdRequest(person, neighbours, 700));
        expect(await near.settle(bill(person, neighbours, 650))).toMatchObject({ charged: 650 });
        for (; seconds < 13; seconds += 1) await near.recoverOthers();
        expect(await readFigures(store, person)).toMatchObject({ balance: 280, held: 0 });

        link.heal();
        expect(await settling).toMatchObject({ charged: 180, writtenOff: 0, balance: 170 });
        await Promise.all([split.flush(), near.flush()]);
        expect(await readFigures(store, person)).toMatchObject({ balance: 170, held: 0 });
        await hold(split, holdRequest(person, unique('r'), 100)).then(() => split.flush());
        for (const ledger of [split, near]) await ledger.close();
        link.close();
        const again = openLedger(store, { node: 'split' });
        await again.recover();
        expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
        await again.close();
        await Promise.all([store.close(), farStore.close()]);
      }, 120_000);
    },
  );
}
