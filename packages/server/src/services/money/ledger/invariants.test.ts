/** @module-tag rounds */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../../store/index.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import type { Ledger } from './ledger.ts';
import { type LinkedBed, openLinkedBed } from './testing/linked-bed.ts';
import { histories, type Step } from './testing/model.ts';
import { HistoryRun } from './testing/history-run.ts';
import type { OpenOptions } from './testing/test-bed.ts';

/** Histories per database; `npm run test:deep` asks for more. */
const runs = Number(process.env['FUZZ_RUNS'] ?? 20);

/** Plays histories, each of which `begin` opens, without the steps that cannot happen there, and each step as `adapt` has it. */
const runHistories = (
  begin: () => HistoryRun,
  isPossible: (step: Step) => boolean = () => true,
  adapt: (step: Step) => Step = (step) => step,
): Promise<void> =>
  fc.assert(
    fc.asyncProperty(histories, async (steps) => {
      const play = begin();
      await play.start();
      for (const step of steps.filter(isPossible)) await play.run(adapt(step));
      await play.end();
    }),
    // A failure is reported, however long the search for the shortest history takes.
    { numRuns: runs, interruptAfterTimeLimit: 300_000, markInterruptAsFailure: true },
  );

eachDialect('the ledger', ({ open }) => {
  let store: Store;
  beforeAll(async () => {
    store = await open();
  });

  it('agrees with the model after any history', { timeout: 600_000 }, async () => {
    await expect(runHistories(() => new HistoryRun(store))).resolves.toBeUndefined();
  });
});

/** Which of two workers carries a request. */
const processOf = (requestId: string): number => Number(/\d$/.exec(requestId)) % 2;

/** Two workers that carry the requests, and the first process, which moves money without telling them. */
async function openPair(bed: LinkedBed, options: OpenOptions): Promise<Ledger> {
  const workers = [await bed.open(options), await bed.open(options)] as const;
  const carrier = (requestId: string): Ledger => workers[processOf(requestId)]!;
  return {
    ...bed.first,
    reserve: (request) => carrier(request.requestId).reserve(request),
    extend: (requestId, more) => carrier(requestId).extend(requestId, more),
    endDeferral: (requestId) => carrier(requestId).endDeferral(requestId),
    mark: (requestId, ...marked) => carrier(requestId).mark(requestId, ...marked),
    settle: (settlement) => carrier(settlement.requestId).settle(settlement),
    release: (requestId) => carrier(requestId).release(requestId),
    async flush() {
      for (const ledger of [...workers, bed.first]) await ledger.flush();
    },
    abandon() {
      for (const worker of workers) worker.abandon();
    },
    recover: () => workers[1].recover(),
    async close() {
      for (const worker of workers) await worker.close();
    },
  };
}

/** Whatever it saw last, a worker may grant less than an eighth of what the rows have now. */
const exactly = (step: Step): Step => (step.kind === 'reserve' ? { ...step, more: 0 } : step);

describe('the ledger of workers on SQLite', () => {
  // A frozen worker is never taken for dead: the first process observes its end.
  const isPossible = ({ kind }: Step): boolean => kind !== 'fence';

  it('agrees with the model after any history', { timeout: 600_000 }, async () => {
    const bed = await openLinkedBed();
    const begin = (): HistoryRun => new HistoryRun(bed.store, (_, options) => bed.open(options));
    await expect(runHistories(begin, isPossible)).resolves.toBeUndefined();
    await bed.close();
  });

  it(
    'agrees with the model where two workers carry requests and the first process moves the money',
    { timeout: 600_000 },
    async () => {
      const bed = await openLinkedBed();
      const begin = (): HistoryRun =>
        new HistoryRun(bed.store, (_, options) => openPair(bed, options), processOf);
      await expect(runHistories(begin, isPossible, exactly)).resolves.toBeUndefined();
      await bed.close();
    },
  );
});
