import { beforeEach, expect, it } from 'vitest';
import type { Store } from '../../store/index.ts';
import { eachDialect } from '../../store/each-dialect.ts';
import { SqlWriter } from './engines/sql-writer.ts';
import { lateSettlement, lostAnswers, storm } from './testing/scenarios.ts';
import { openLedger } from './testing/test-bed.ts';
import { CheckThenDecrement } from './testing/wrong/check-then-decrement.ts';
import { DeafToRecovery } from './testing/wrong/deaf-to-recovery.ts';
import { NonIdempotentRetry } from './testing/wrong/non-idempotent-retry.ts';

/** Tests that cannot fail prove nothing: each scenario is run on our ledger and on one that is wrong on purpose. */
eachDialect('a ledger', ({ open }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });

  it('lets nobody overspend in a storm', async () => {
    const ledger = openLedger(store);
    expect(await storm(store, ledger)).toEqual([]);
    await ledger.close();
  });

  it('that looks before it takes is caught in a storm', async () => {
    expect(await storm(store, new CheckThenDecrement(store))).not.toEqual([]);
  });

  it('takes nothing twice when answers to commits are lost', async () => {
    expect(await lostAnswers(store, SqlWriter)).toEqual([]);
  });

  it('that repeats what may have been done is caught when answers are lost', async () => {
    expect(await lostAnswers(store, NonIdempotentRetry)).not.toEqual([]);
  });

  it('settles once when recovery came first', async () => {
    expect(await lateSettlement(store, SqlWriter)).toEqual([]);
  });

  it('that is deaf to recovery is caught by a late settlement', async () => {
    expect(await lateSettlement(store, DeafToRecovery)).not.toEqual([]);
  });
});
