/** Long enough that whoever waits for the start has had an answer. */
const pauseMs = 1_000;

/**
 * Collects once what the start of a process or of a thread has left behind, and gives the memory back, where the process was
 * started with `--expose-gc` (tools/node-flags.json): it would else stay for as long as nobody calls. Nothing else runs in the
 * thread meanwhile, for about a tenth of a second, so one that is busy by then is left to collect as it goes.
 */
export function collectStartGarbage(isBusy: () => boolean, afterMs = pauseMs): void {
  setTimeout(() => {
    if (!isBusy()) globalThis.gc?.({ type: 'major', flavor: 'last-resort' });
  }, afterMs).unref();
}
