import type { ReaderAddress, Store } from '../../../store/index.ts';
import { type Plan, rehearse } from './rehearse.ts';
import { type Running, startThread } from './thread.ts';

export interface RunDeps {
  store: Pick<Store, 'reports' | 'sqlite'>;
  /** Address of the database for a thread. */
  address: ReaderAddress;
}

/** Prices a plan in a thread; a database in memory has no other connection and is read in this process. */
export function runPlan(
  { store, address }: RunDeps,
  plan: Plan,
  onProgress: (done: number) => void,
): Running {
  if (store.sqlite?.path !== ':memory:') return startThread(address, plan, onProgress);
  let isStopped = false;
  const rows = <Row>(query: { execute(): Promise<Row[]> }) => query.execute();
  const reader = { db: store.reports, rows, ofArchive: rows };
  const result = rehearse(reader, plan, (done) => {
    onProgress(done);
    return !isStopped;
  });
  return { result, stop: () => void (isStopped = true) };
}
