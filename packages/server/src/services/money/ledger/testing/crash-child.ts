// A process that takes and settles holds as fast as it can until it is killed. Prints each acknowledged settlement as
// `id amount` and each acknowledged hold as `hold id`.
import { writeSync } from 'node:fs';
import { openStore } from '../../../../store/index.ts';
import { recordingLog } from './test-bed.ts';
import { createLedger } from '../ledger.ts';

const [url = '', people = '[]', seed = '0'] = process.argv.slice(2);
const store = await openStore({ url });
const ledger = createLedger({ store, log: recordingLog(), clock: Date.now, node: 'child' });
await ledger.recover();
const payers = JSON.parse(people) as {
  accountId: number;
  userId: number;
  tokenId: number;
  unlimited: boolean;
}[];
const print = (line: string): void => void writeSync(1, `${line}\n`);
let count = 0;

async function work(worker: number): Promise<void> {
  for (;;) {
    const requestId = `${seed}-${worker}-${(count += 1)}`;
    const payer = payers[count % payers.length]!;
    const amount = 50 + (count % 100);
    const holdRequest = {
      ...payer,
      requestId,
      channelId: 0,
      tokenUnlimited: payer.unlimited,
      amount: 100,
      request: '{}',
    };
    const reservation = await ledger.reserve(holdRequest);
    await reservation.durable;
    print(`hold ${requestId}`);
    if (count % 3 === 0) void ledger.mark(requestId, 30);
    if (count % 7 === 0) await ledger.release(requestId);
    else {
      const settled = await ledger.settle({
        requestId,
        amount,
        channelId: 0,
        counts: true,
        log: null,
        hourly: null,
      });
      print(`${requestId} ${settled.charged}`);
    }
  }
}

print('ready');
await Promise.all(Array.from({ length: 64 }, (_, worker) => work(worker)));
