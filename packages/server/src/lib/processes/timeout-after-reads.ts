/** Calls `work` after what has arrived at sockets by now was read. The loop reads between two turns of `setImmediate`. */
export const afterReads = (work: () => void): void => void setImmediate(() => setImmediate(work));

/**
 * As setTimeout, but what has arrived by then is read first: a process that stood still (frozen, or without a core) would
 * take its own silence for that of another. Answers what calls it off, also in the moment in which it is due.
 */
export function timeoutAfterReads(ms: number, work: () => void): () => void {
  let isOff = false;
  const read = (): void => {
    if (!isOff) work();
  };
  const timer = setTimeout(() => afterReads(read), ms);
  return () => {
    isOff = true;
    clearTimeout(timer);
  };
}
