import type { Finding } from '../services/ledger/index.ts';
import type { MakeJob } from './parts.ts';

/** The books are checked each time as far as they are new, and after so many times (once a day) as a whole. */
const wholeAuditEvery = 144;

/** The invariants of docs/money.md as a query, again and again: a difference is an alarm, whatever caused it. */
export const checkBooks: MakeJob<'audit' | 'checkHours' | 'log'> = ({ audit, checkHours, log }) => ({
  name: 'check-books',
  everyMs: 10 * 60_000,
  async run() {
    const report = (findings: readonly Finding[]): void => {
      if (findings.length > 0) log.error({ findings }, 'THE BOOKS DO NOT AGREE: please report this');
    };
    report((await audit.next(wholeAuditEvery)).findings);
    // Last, because it wants every row of the log: where that is away the money has been looked at.
    report((await checkHours()).map((detail) => ({ invariant: 'I17 hourly sums', detail })));
  },
});
