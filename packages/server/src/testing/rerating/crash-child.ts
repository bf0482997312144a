// A separate process that performs the pending corrections once for each input line `database faults`. It dies at the points
// in `faults`. After each completed line it writes `done`.
import { flushCompileCache } from 'node:module';
import { createInterface } from 'node:readline';
import { armFaults, parseFaults } from '../../lib/fault-point.ts';
import { openStore } from '../../store/index.ts';
import { openLedger } from '../../services/money/ledger/testing/test-bed.ts';
import { openReratings } from './bed.ts';

// A killed process does not save its compile cache, so the next start would compile everything again.
flushCompileCache();
for await (const line of createInterface({ input: process.stdin })) {
  const [url = '', faults = ''] = line.split(' ');
  const store = await openStore({ url });
  const ledger = openLedger(store, { node: `child-${process.pid}` });
  if (faults !== '') armFaults(parseFaults(faults));
  await openReratings(store, ledger, {}).work();
  await ledger.close();
  await store.close();
  process.stdout.write('done\n');
}
