import { ledger } from '../../../store/index.ts';
import { voidNote } from './plan/plan-settle.ts';
import { record, type VerbContext } from './verbs/context.ts';

/**
 * Records that a request is never charged, in the transaction that lets another request replace it. The process of the
 * request may still run: its later settlement has no effect. Returns false if the request was charged already.
 */
export async function voidRequest(context: VerbContext, requestId: string): Promise<boolean> {
  if (await record(context, { txn: requestId, kind: 'usage', note: voidNote })) return true;
  const [settled] = await ledger.findSettled(context.db, [requestId]);
  return settled !== undefined && settled.account_delta + settled.writeoff_delta === 0;
}

// Public interface of the ledger: the only place that moves quota.
export { createLedger } from './ledger.ts';
export type { Ledger, LedgerDeps } from './ledger.ts';
export { defaultEngineSettings } from './engines/engine.ts';
export type { EngineSettings } from './engines/engine.ts';
export { ExpiryDue, InsufficientQuota, LedgerUnavailable, UnknownHold } from './plan/types.ts';
/** For errors of reads beside the ledger. */
export { withTimeout } from './engines/with-timeout.ts';
export { isDatabaseAway } from '../../../store/index.ts';
export type {
  CallLedger,
  RefusalReason,
  RequestLedger,
  Reservation,
  ReserveRequest,
  Settled,
  Settlement,
  ShortBudget,
  SettlementLog,
  WaitingCaller,
} from './plan/types.ts';
export { BookAudit } from './audit.ts';
export { checkBooks } from './checks.ts';
export type { Finding } from './checks.ts';
export { readGrantsLeft } from './grants-left.ts';
export type { GrantLeft } from './grants-left.ts';
export { rebuildTotals } from './rebuild.ts';
export type { CrashRow } from './recover.ts';

export { MissingRow } from './verbs/context.ts';
export type { VerbContext } from './verbs/context.ts';
export { adjust } from './verbs/adjust.ts';
export type { Change } from './verbs/adjust.ts';
export { credit, openAccount } from './verbs/credit.ts';
export { grantLimit } from './verbs/grant-limit.ts';
export { grantToken } from './verbs/grant-token.ts';
export { findFacts } from './verbs/invoice.ts';
export type { InvoiceFacts, InvoiceIssuer, PaidBack } from './verbs/invoice.ts';
export { move } from './verbs/move.ts';
export { creditPeriod } from './verbs/plan-period.ts';
export { refundUsage } from './verbs/refund-usage.ts';
export type { Refunded } from './verbs/refund-usage.ts';
export { rerate } from './verbs/rerate.ts';
export type { RerateCharge, Rerated } from './verbs/rerate.ts';
export { growTask, holdForTask, releaseTask, settleParts, settleTask } from './verbs/task-hold.ts';
export { openBooks } from './verbs/open-books.ts';
export type { OpeningCredit, OpeningToken, OpeningUse, OpeningWallet } from './verbs/open-books.ts';
export { addReward, transferReward } from './verbs/reward.ts';
