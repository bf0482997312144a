/** Parameters that the first process sends to a worker at its start. */
export interface Orders {
  /** Counts from 1. */
  index: number;
  /** The worker's name among the processes on the database; the same after each restart. */
  node: string;
  /** A listening socket inherited by the first process, instead of the port: its file descriptor there. */
  socket: number | undefined;
  /** The Unix socket of the first process for requests that are not relay calls. */
  socketPath: string;
  /** Most connections to the database. */
  databasePool: number;
}

/** Messages between worker and first process, besides the cache. */
export const asked = {
  /** Orders → the port that is listened on. */
  begin: 'begin',
  /** → the worker's metrics. */
  figures: 'figures',
  /** → the number of running calls, which are waited for. The worker ends when they have ended. */
  stop: 'stop',
} as const;

/** At most 64 characters, the limit of the database; the number distinguishes workers. */
export function workerName(first: string, index: number): string {
  const mark = `#w${index}`;
  return first.slice(mark.length - 64) + mark;
}

/** True if a process on the database is a worker, and not the first of its installation. */
export const isWorkerName = (node: string): boolean => /#w\d+$/.test(node);
