/** @module-tag rounds */
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { Store } from '../../../store/index.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import { histories, type Step } from './testing/model.ts';
import { HistoryRun } from './testing/history-run.ts';

/** Histories per database; `npm run test:deep` asks for more. */
const runs = Number(process.env['FUZZ_RUNS'] ?? 20);

/** A process stands still with a hold of nothing, which counts as a call of a budget; another one recovers it. */
const lostHoldOfNothing: Step[] = [
  { kind: 'reserve', person: 43, amount: 85, more: 0, tokens: 0, moreTokens: 0 },
  { kind: 'reserve', person: 50, amount: 105, more: 26, tokens: 0, moreTokens: 0 },
  { kind: 'reserve', person: 3, amount: 0, more: 0, tokens: 0, moreTokens: 0 },
  { kind: 'fence', amount: 42, tokens: 0 },
];

eachDialect('the ledger', ({ open }) => {
  let store: Store;
  beforeAll(async () => {
    store = await open();
  });

  it('agrees with the model after any history', { timeout: 600_000 }, async () => {
    const property = fc.asyncProperty(histories, async (steps) => {
      const play = new HistoryRun(store);
      await play.start();
      for (const step of steps) await play.run(step);
      await play.end();
    });
    // A failure is reported even if the search for the shortest history takes long.
    const bounds = {
      examples: [[lostHoldOfNothing]] as [Step[]][],
      numRuns: runs,
      interruptAfterTimeLimit: 300_000,
      markInterruptAsFailure: true,
    };
    await expect(fc.assert(property, bounds)).resolves.toBeUndefined();
  });
});
