// A process of its own that does what corrections are under way, once for each line that it reads, `database faults`, and
// dies where the faults say. It answers a line when it has done all.
import { flushCompileCache } from 'node:module';
import { createInterface } from 'node:readline';
import { armFaults, parseFaults } from '../../lib/fault-point.ts';
import { openStore } from '../../store/index.ts';
import { openLedger } from '../../services/money/ledger/testing/test-bed.ts';
import { openReratings } from './bed.ts';

// Who is killed writes nothing at its end: the next start would compile everything again.
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
