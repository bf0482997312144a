import type { MakeJob } from './parts.ts';
import type { Finding } from '../services/money/ledger/index.ts';

/** Ends the holds of processes that died, including an earlier one of this name. */
export const recoverHolds: MakeJob<'ledger' | 'log'> = ({ ledger, log }) => ({
  name: 'recover-holds',
  everyMs: 60_000,
  async run() {
    const recovery = await ledger.recover();
    if (recovery.settled + recovery.released > 0)
      log.warn({ recovery }, 'ended holds of a process that died');
  },
});

/** Ends holds of other processes on the same database as soon as they count as dead. */
export const recoverOthers: MakeJob<'isAlone' | 'ledger' | 'log'> = ({ isAlone, ledger, log }) =>
  isAlone
    ? null
    : {
        name: 'recover-others',
        everyMs: 1_000,
        async run() {
          const recovery = await ledger.recoverOthers();
          if (recovery.settled + recovery.released > 0)
            log.warn({ recovery }, 'ended holds of a process that died');
        },
      };

/** Wallets settled in one run. */
const expiriesAtOnce = 500;

/** Books expired credit of wallets that no call uses. Calls do it themselves, before they hold anything. */
export const settleExpired: MakeJob<'ledger'> = ({ ledger }) => ({
  name: 'settle-expired',
  everyMs: 60_000,
  async run() {
    await ledger.settleExpired(expiriesAtOnce);
  },
});

/** Tells owners of wallets which credit will expire, a week and a day before. */
export const noticeExpiries: MakeJob<'noticeExpiries'> = ({ noticeExpiries: notice }) => ({
  name: 'notice-expiries',
  everyMs: 60_000,
  run: notice,
});

/** Each run checks only new entries; after this many runs (once a day) everything is checked. */
const wholeAuditEvery = 144;

/** Adds new entries of the ledger to the sums of statements. */
export const sumLedgerMonths: MakeJob<'statements'> = ({ statements }) => ({
  name: 'sum-ledger-months',
  everyMs: 5 * 60_000,
  run: () => statements.sum(),
});

/** Mails the statements of the last month to those who want them. */
export const mailStatements: MakeJob<'statements'> = ({ statements }) => ({
  name: 'mail-statements',
  everyMs: 10 * 60_000,
  run: () => statements.sendMails(),
});

/** Checks the invariants of docs/money.md repeatedly: any difference raises an alarm. */
export const checkBooks: MakeJob<'alarms' | 'audit' | 'checkHours' | 'log'> = ({
  alarms,
  audit,
  checkHours,
  log,
}) => {
  let clean = 0;
  const report = (findings: readonly Finding[]): void => {
    const [first] = findings;
    if (!first) return;
    clean = -1;
    log.error({ findings }, 'THE BOOKS DO NOT AGREE: please report this');
    alarms.raise('books_differ', { subject: '', name: '', detail: `${first.invariant}: ${first.detail}` });
  };
  return {
    name: 'check-books',
    everyMs: 10 * 60_000,
    async run() {
      report((await audit.next(wholeAuditEvery)).findings);
      // Last, because it reads every row of the log: if that database is unavailable, the money has been checked.
      report((await checkHours()).map((detail) => ({ invariant: 'I17 hourly sums', detail })));
      clean += 1;
      // A complete round found no difference, so earlier ones are resolved.
      if (clean === wholeAuditEvery) alarms.end('books_differ', '');
    },
  };
};

/**
 * Applies prices that vendors announced for a day, within seconds of its start, if the site has no table of its own.
 */
export const renewDefaults: MakeJob<'settings'> = ({ settings }) => ({
  name: 'renew-defaults',
  everyMs: 5_000,
  run: () => settings.renew(),
});

/** Longest run, so that a shutdown need not wait for millions of charges. */
const runMs = 2_000;

/** Runs the corrections of past charges, and their undoing, that were requested. */
export const rerateCharges: MakeJob<'reratings' | 'clock'> = ({ reratings, clock }) => ({
  name: 'rerate-charges',
  everyMs: 1_000,
  run() {
    const until = clock() + runMs;
    return reratings.work(() => clock() < until);
  },
});

/** Gives new entries of the ledger their signed receipts, if the site signs. */
export const sealReceipts: MakeJob<'signedReceipts' | 'clock'> = ({ signedReceipts, clock }) => ({
  name: 'seal-receipts',
  everyMs: 5_000,
  run() {
    const until = clock() + runMs;
    return signedReceipts.seal(() => clock() < until);
  },
});

/** Queries the payment provider for orders with a missing callback. */
export const askPendingOrders: MakeJob<'payments'> = ({ payments }) => ({
  name: 'ask-pending-orders',
  everyMs: 60_000,
  run: () => payments.askPending(),
});

/** Renews and ends subscriptions, and finds their payments with a missing webhook. */
export const lookAfterPlans: MakeJob<'plans'> = ({ plans }) => ({
  name: 'look-after-plans',
  everyMs: 60_000,
  run: () => plans.lookAfter(),
});

/** Charges the saved cards of users with a low balance, and finds charges with a lost answer. */
export const topUpAutomatically: MakeJob<'autoTopUps'> = ({ autoTopUps }) => ({
  name: 'top-up-automatically',
  everyMs: 5_000,
  run: () => autoTopUps.run(),
});
