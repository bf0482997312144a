import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { Store } from '../../store/index.ts';
import { eachDialect } from '../../store/each-dialect.ts';
import { histories } from './testing/model.ts';
import { Play } from './testing/play.ts';

/** Histories per database; a nightly run asks for more. */
const runs = Number(process.env['INVARIANT_RUNS'] ?? 40);

eachDialect('the ledger', ({ open }) => {
  let store: Store;
  beforeAll(async () => {
    store = await open();
  });

  it('agrees with three maps and a page of arithmetic after any history', { timeout: 600_000 }, async () => {
    const checked = fc.assert(
      fc.asyncProperty(histories, async (steps) => {
        const play = new Play(store);
        await play.start();
        for (const step of steps) await play.run(step);
        await play.end();
      }),
      { numRuns: runs },
    );
    await expect(checked).resolves.toBeUndefined();
  });
});
