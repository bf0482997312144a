/**
 * Collects all garbage at once and gives its memory back, where the process was started with `--expose-gc`
 * (tools/node-flags.json). Nothing else runs meanwhile, for about a tenth of a second: it is for the end of a start.
 */
export function collectGarbage(): void {
  globalThis.gc?.({ type: 'major', flavor: 'last-resort' });
}
