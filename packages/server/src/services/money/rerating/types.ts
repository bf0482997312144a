import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Store } from '../../../store/index.ts';
import type { Audit } from '../../site/audit/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Rehearsals } from '../rehearsal/index.ts';

export interface ReratingDeps {
  store: Pick<Store, 'db' | 'reports' | 'dialect'>;
  ledger: Pick<Ledger, 'change'>;
  rehearsals: Pick<Rehearsals, 'ended'>;
  audit: Audit;
  /** Whether calls are summed by the hour. */
  sumsHourly: () => boolean;
  clock: Clock;
  log: Log;
}

/** The ledger name of a corrected charge; `:undo` for its undoing. */
export const rerateTxn = (reratingId: number, logId: number): string => `rerate:${reratingId}:${logId}`;
export const undoTxn = (reratingId: number, logId: number): string => `${rerateTxn(reratingId, logId)}:undo`;
