import type { Log } from '../lib/log.ts';
import type { BookAudit, Finding } from '../services/ledger/index.ts';
import type { Job } from './runner.ts';

/** The books are checked each time as far as they are new, and after so many times (once a day) as a whole. */
const wholeAuditEvery = 144;

export interface CheckBooksDeps {
  audit: Pick<BookAudit, 'next'>;
  /** Hours whose sums do not agree with the log, in words. */
  checkHours: () => Promise<readonly string[]>;
  log: Log;
}

/** The invariants of docs/money.md as a query, again and again: a difference is an alarm, whatever caused it. */
export const checkBooks = ({ audit, checkHours, log }: CheckBooksDeps): Job => ({
  name: 'check-books',
  everyMs: 10 * 60_000,
  async run() {
    const hours = (await checkHours()).map((detail): Finding => ({ invariant: 'I17 quota_data', detail }));
    const findings = [...(await audit.next(wholeAuditEvery)).findings, ...hours];
    if (findings.length > 0) log.error({ findings }, 'THE BOOKS DO NOT AGREE: please report this');
  },
});
