import type { Plugin } from 'vite';

/** A circle among files that import each other; undefined where there is none. */
export function findCycle(importsOf: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): string[] | undefined => {
    const start = path.indexOf(file);
    if (start >= 0) return [...path.slice(start), file];
    if (done.has(file)) return undefined;
    path.push(file);
    for (const imported of importsOf.get(file) ?? []) {
      const cycle = visit(imported);
      if (cycle) return cycle;
    }
    path.pop();
    done.add(file);
    return undefined;
  };
  for (const file of importsOf.keys()) {
    const cycle = visit(file);
    if (cycle) return cycle;
  }
  return undefined;
}

/**
 * Fails the build where files of it import each other in a circle: one of them runs before what it imports has run, and a
 * page breaks in the browser although all types agree. The groups of chunks.ts can make such circles, their modules need not have
 * one.
 */
export const noChunkCycles = (): Plugin => ({
  name: 'console:no-chunk-cycles',
  apply: 'build',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
    const cycle = findCycle(new Map(chunks.map(({ fileName, imports }) => [fileName, imports])));
    if (cycle) this.error(`files of the build import each other: ${cycle.join(' → ')}`);
  },
});
