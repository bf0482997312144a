/**
 * As setTimeout, but what has arrived by then is read first: a process that stood still (frozen, or without a core) would
 * take its own silence for that of another. Answers what calls it off, also in the moment in which it is due.
 */
export function timeoutAfterReads(ms: number, work: () => void): () => void {
  let isOff = false;
  const read = (): void => {
    if (!isOff) work();
  };
  // The loop reads between these two.
  const timer = setTimeout(() => setImmediate(() => setImmediate(read)), ms);
  return () => {
    isOff = true;
    clearTimeout(timer);
  };
}
