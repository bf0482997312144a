import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../store/index.ts';
import { eachDialect } from '../../store/each-dialect.ts';
import { openLinkedBed } from './testing/linked-bed.ts';
import { histories, type Step } from './testing/model.ts';
import { Play } from './testing/play.ts';

/** Histories per database; a nightly run asks for more. */
const runs = Number(process.env['INVARIANT_RUNS'] ?? 40);

/** Plays histories, each of which `begin` opens, without the steps that cannot happen there. */
const played = (begin: () => Play, isPossible: (step: Step) => boolean = () => true): Promise<void> =>
  fc.assert(
    fc.asyncProperty(histories, async (steps) => {
      const play = begin();
      await play.start();
      for (const step of steps.filter(isPossible)) await play.run(step);
      await play.end();
    }),
    { numRuns: runs },
  );

eachDialect('the ledger', ({ open }) => {
  let store: Store;
  beforeAll(async () => {
    store = await open();
  });

  it('agrees with three maps and a page of arithmetic after any history', { timeout: 600_000 }, async () => {
    await expect(played(() => new Play(store))).resolves.toBeUndefined();
  });
});

describe('the ledger of workers on SQLite', () => {
  it('agrees with three maps and a page of arithmetic after any history', { timeout: 600_000 }, async () => {
    const bed = await openLinkedBed();
    const begin = (): Play => new Play(bed.store, (_, options) => bed.open(options));
    // Nobody takes a frozen worker for dead: the first process sees its end.
    const isPossible = ({ kind }: Step): boolean => kind !== 'fence';
    await expect(played(begin, isPossible)).resolves.toBeUndefined();
    await bed.close();
  });
});
