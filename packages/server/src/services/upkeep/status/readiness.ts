import { type Clock, seconds, type Sleep } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Ledger } from '../../money/ledger/index.ts';
import { changeMarks, type Db } from '../../../store/index.ts';

/** Reason why this process should not get calls. */
export type Unready = 'stopping' | 'database';

export interface ReadinessDeps {
  db: Db;
  clock: Clock;
  sleep: Sleep;
  log: Log;
  ledger: Pick<Ledger, 'isRefusing'>;
  /** True from the start of the stop of the process. */
  isStopping: () => boolean;
}

/** Timeout for the database. */
const patienceMs = 2_000;
/** The database is queried at most once a second, for any number of load balancers. */
const keptMs = 1_000;

/**
 * Whether calls can be served: the ledger takes holds, and the database accepts a write. Empty if it can.
 */
export function createReadiness({
  db,
  ledger,
  clock,
  sleep,
  log,
  isStopping,
}: ReadinessDeps): () => Promise<Unready[]> {
  let asked: { at: number; answer: Promise<boolean> } | undefined;
  let writing: Promise<boolean> | undefined;
  const write = async (): Promise<boolean> => {
    try {
      await changeMarks.proveWritable(db, seconds(clock));
      return true;
    } catch (error) {
      log.warn({ err: error }, 'not ready: the database takes no write');
      return false;
    } finally {
      writing = undefined;
    }
  };
  const probe = async (): Promise<boolean> => {
    // One write at a time: each hanging one takes a connection from calls.
    const written = (writing ??= write());
    const over = new AbortController();
    const late = sleep(patienceMs, over.signal).then(
      () => false,
      () => false,
    );
    const answer = await Promise.race([written, late]);
    over.abort();
    return answer;
  };
  return async () => {
    if (isStopping()) return ['stopping'];
    // One connection may hang while others work, so the state of the ledger is checked first.
    if (ledger.isRefusing()) return ['database'];
    const now = clock();
    if (!asked || now - asked.at >= keptMs) asked = { at: now, answer: probe() };
    return (await asked.answer) ? [] : ['database'];
  };
}
