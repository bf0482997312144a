/** Calls `work` after all data that has arrived at sockets is read. The loop reads between two turns of `setImmediate`. */
export const afterReads = (work: () => void): void => void setImmediate(() => setImmediate(work));

/**
 * Like setTimeout, but arrived data is read first: a process that was frozen or without a core would take its own
 * silence for that of the other side. Returns a function that cancels it, even at the moment it is due.
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
