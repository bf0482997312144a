/** Long enough for callers that wait for the start to get an answer. */
const pauseMs = 1_000;

/**
 * Collects the garbage of the start of a process or thread once, and returns the memory, if the process was started
 * with `--expose-gc` (tools/node-flags.json). Otherwise it stays until the first calls. The thread is blocked for
 * about a tenth of a second, so a busy one is left alone.
 */
export function collectStartGarbage(isBusy: () => boolean, afterMs = pauseMs): void {
  setTimeout(() => {
    if (!isBusy()) globalThis.gc?.({ type: 'major', flavor: 'last-resort' });
  }, afterMs).unref();
}
