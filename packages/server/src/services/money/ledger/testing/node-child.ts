// One of several processes on one database. Spends from shared wallets until it is stopped. Prints each acknowledged
// settlement as `settled <id> <charged>`, and violations as `wrong <what>`.
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from '../../../../store/index.ts';
import { createLedger } from '../ledger.ts';
import { InsufficientQuota, LedgerUnavailable, UnknownHold } from '../plan/types.ts';
import { logOf } from './test-bed.ts';
import { clockSpeed, idleTransactionMs, type NodeTask } from './node-task.ts';

const { url, node, life, workers, people, clock } = JSON.parse(process.argv[2] ?? '{}') as NodeTask;
const print = (line: string): void => void writeSync(1, `${line}\n`);
const ignore = (): void => undefined;
const store = await openStore({ url, idleTransactionMs });
const ledger = createLedger({
  store,
  clock: clock ? () => clock.from + (Date.now() - clock.from) * clock.rate : Date.now,
  node,
  monotonic: () => performance.now() * clockSpeed,
  settings: { settleWaitMs: 60_000 },
  crashRow: (row) => ({ log: logOf(people[0]!, row.request_id, 0), tokens: row.progress }),
  log: {
    debug: ignore,
    info: ignore,
    // A batch that a constraint of the database refused; an unavailable database does not count.
    warn: (fields, message) => {
      if (message.includes('step by step'))
        print(`wrong ${message} ${String((fields as { err?: unknown }).err)}`);
    },
    error(_fields, message) {
      if (message.includes('faulty')) print(`wrong ${message}`);
    },
  },
});
let isOver = false;
let count = 0;

/** One call: held, marked, settled. */
async function call(requestId: string): Promise<void> {
  const payer = people[count % people.length]!;
  const amount = 50 + (count % 100);
  await ledger.reserve({
    ...payer,
    requestId,
    channelId: 0,
    tokenUnlimited: payer.unlimited,
    amount: 150,
    tokens: 150,
    request: '{}',
  });
  if (count % 3 > 0) void ledger.mark(requestId, 40, JSON.stringify({ used: 40 }), 40);
  // An answer takes a moment, in which a process may be killed or frozen.
  await sleep(count % 20);
  if (count % 11 === 0) return ledger.release(requestId);
  const bill = { requestId, amount, tokens: amount, channelId: 0, counts: true, log: null, hourly: null };
  const { charged, writtenOff } = await ledger.settle(bill);
  print(`settled ${requestId} ${charged + writtenOff} ${amount}`);
}

async function work(worker: number): Promise<void> {
  while (!isOver) {
    const requestId = `${node}-${life}-${worker}-${(count += 1)}`;
    try {
      await call(requestId);
    } catch (error) {
      // A process that was considered dead finds that its hold without a mark was returned.
      const isKnown = [InsufficientQuota, LedgerUnavailable, UnknownHold].some(
        (kind) => error instanceof kind,
      );
      if (!isKnown) print(`wrong ${String(error)}`);
      await sleep(20);
    }
  }
}

async function recoverOthers(): Promise<void> {
  while (!isOver) {
    await ledger.recoverOthers().catch(ignore);
    await sleep(200);
  }
}

process.on('SIGTERM', () => {
  isOver = true;
});
await ledger.recover();
print('ready');
await Promise.all([recoverOthers(), ...Array.from({ length: workers }, (_, worker) => work(worker))]);
await ledger.close();
await store.close();
print('closed');
