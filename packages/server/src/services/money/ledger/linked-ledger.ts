import type { ProcessLink } from '../../../lib/processes/process-link.ts';
import { defaultEngineSettings } from './engines/engine.ts';
import { type Ledger, type LedgerDeps, ledgerOn } from './ledger.ts';
import { LinkedEngine } from './linked/linked-engine.ts';
import type { Recovery } from './recover.ts';

/** The one that keeps the books ends the holds of the dead. */
const nothing = async (): Promise<Recovery> => ({ settled: 0, released: 0, charged: 0 });

/** The ledger of a process whose SQLite file another one writes, which serves it (`Ledger.serve`). */
export const createLinkedLedger = (books: ProcessLink, deps: LedgerDeps): Ledger => ({
  ...ledgerOn(new LinkedEngine(books, { ...defaultEngineSettings, ...deps.settings }), {
    ...deps,
    isServed: true,
  }),
  recover: nothing,
  recoverOthers: nothing,
  recoverDead: nothing,
});
