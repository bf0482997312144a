// A process of its own that does what corrections are under way, and dies where FAULTS says.
import { armFaults, parseFaults } from '../../lib/fault-point.ts';
import { openStore } from '../../store/index.ts';
import { openLedger } from '../../services/ledger/testing/test-bed.ts';
import { openReratings } from './bed.ts';

const [url = '', faults = ''] = process.argv.slice(2);
const store = await openStore({ url });
const ledger = openLedger(store, { node: `child-${process.pid}` });
if (faults !== '') armFaults(parseFaults(faults));
await openReratings(store, ledger, {}).work();
await ledger.close();
await store.close();
