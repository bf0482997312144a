import { beforeEach, expect, it } from 'vitest';
import type { Store } from '../../../store/index.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import { SqlWriter } from './engines/sql-writer.ts';
import { lateSettlement, lostAnswers, parallelHolds } from './testing/scenarios.ts';
import { openLedger } from './testing/test-bed.ts';
import { CheckThenDecrement } from './testing/wrong/check-then-decrement.ts';
import { IgnoresRecovery } from './testing/wrong/ignores-recovery.ts';
import { NonIdempotentRetry } from './testing/wrong/non-idempotent-retry.ts';

/** A test that cannot fail proves nothing: each scenario runs on our ledger and on a deliberately wrong one. */
eachDialect('a ledger', ({ open }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });

  it('never overspends under 200 parallel holds', async () => {
    const ledger = openLedger(store);
    expect(await parallelHolds(store, ledger)).toEqual([]);
    await ledger.close();
  });

  it('that checks before it takes fails under 200 parallel holds', async () => {
    expect(await parallelHolds(store, new CheckThenDecrement(store))).not.toEqual([]);
  });

  it('takes nothing twice when answers to commits are lost', async () => {
    expect(await lostAnswers(store, SqlWriter)).toEqual([]);
  });

  it('that repeats commits of unknown outcome fails when answers are lost', async () => {
    expect(await lostAnswers(store, NonIdempotentRetry)).not.toEqual([]);
  });

  it('settles once when recovery came first', async () => {
    expect(await lateSettlement(store, SqlWriter)).toEqual([]);
  });

  it('that ignores recovery fails on a late settlement', async () => {
    expect(await lateSettlement(store, IgnoresRecovery)).not.toEqual([]);
  });
});
