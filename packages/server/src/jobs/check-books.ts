import type { Finding } from '../services/money/ledger/index.ts';
import type { MakeJob } from './parts.ts';

/** Each run checks only new entries; after this many runs (once a day) everything is checked. */
const wholeAuditEvery = 144;

/** Checks the invariants of docs/money.md repeatedly: a difference raises an alarm, whatever caused it. */
export const checkBooks: MakeJob<'audit' | 'checkHours' | 'log'> = ({ audit, checkHours, log }) => ({
  name: 'check-books',
  everyMs: 10 * 60_000,
  async run() {
    const report = (findings: readonly Finding[]): void => {
      if (findings.length > 0) log.error({ findings }, 'THE BOOKS DO NOT AGREE: please report this');
    };
    report((await audit.next(wholeAuditEvery)).findings);
    // Last, because it reads every row of the log: if that database is unavailable, the money has been checked.
    report((await checkHours()).map((detail) => ({ invariant: 'I17 hourly sums', detail })));
  },
});
