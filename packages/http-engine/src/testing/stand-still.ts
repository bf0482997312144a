/** Blocks this process for `ms` milliseconds, like a process that is frozen or has no core. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
