/** What the first process tells a worker at its start. */
export interface Orders {
  /** From 1. */
  index: number;
  /** How the worker is called among the processes on the database; the same in each of its lives. */
  node: string;
  /** A listening socket that the first process was started with, in place of the port: its number there. */
  socket: number | undefined;
  /** Where the first process takes what is no call of the relay. */
  socketPath: string;
  /** Most connections to the database. */
  databasePool: number;
}

/** What worker and first process ask of each other, beside the cache. */
export const asked = {
  /** Orders → the port that is listened on. */
  begin: 'begin',
  /** → the worker's figures. */
  figures: 'figures',
  /** → the number of calls under way, which are waited for. The worker ends when they have. */
  stop: 'stop',
} as const;

/** At most 64 characters, which is what the database keeps; the number is what tells workers apart. */
export function workerName(first: string, index: number): string {
  const mark = `#w${index}`;
  return first.slice(mark.length - 64) + mark;
}

/** Whether a process among those on the database is a worker, and not the first of its installation. */
export const isWorkerName = (node: string): boolean => /#w\d+$/.test(node);
