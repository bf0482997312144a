import { type HoldTable, textOfLines } from '../../../../store/index.ts';
import type { ReserveRequest, Settled, Settlement } from './types.ts';
import { maxQuota } from '@tollgate/contract';

/** The payer of a request, kept while it runs. A settlement finds its payer even if the hold was ended. */
export type Payer = Pick<HoldTable, 'account_id' | 'user_id' | 'token_id' | 'member_id' | 'budgets'>;

/** The windows of its budgets are known once its hold is planned. */
export const payerOf = ({ accountId, userId, tokenId, memberId = 0, budgets }: ReserveRequest): Payer => ({
  account_id: accountId,
  user_id: userId,
  token_id: tokenId,
  member_id: memberId,
  budgets: budgets ? textOfLines(budgets.map((id) => ({ id, start: 0 }))) : '',
});

/** Remarks for the note of the ledger row. */
export interface SettleRemarks {
  /** Settled by recovery at the progress mark, because the process of the request died. */
  recovered?: true;
  /** Quota units of its hold at that time: the maximum of a late settlement. */
  hold?: number;
  /** Unix seconds of the hold, and the tokens that the hourly sums counted; a late settlement corrects them. */
  at?: number;
  tokens?: number;
}

export interface ReserveOp {
  readonly kind: 'reserve';
  readonly requestId: string;
  readonly request: ReserveRequest;
  /** Unix seconds. */
  readonly at: number;
  readonly node: string;
  /** Quota units held when granted, and tokens on budgets that count them. */
  amount: number;
  tokens: number;
  /** True once a caller has the amount: planning it again takes the same. */
  announced: boolean;
  /** Time by performance.now() until which its hold may be left out of a batch; 0 once a caller waits for it. */
  deferredUntil: number;
  /**
   * Set if the hold was left out of a batch: resolves when the holds of its next batch are durable. It is not the
   * batch itself, because batches that refer to each other form a chain that is collected late.
   */
  later: Promise<void> | undefined;
  /** The budgets of the hold, with the windows that count it once it is granted. */
  budgets: string;
  error: Error | undefined;
}

export interface ExtendOp {
  readonly kind: 'extend';
  readonly requestId: string;
  readonly more: number;
  /** Further tokens on budgets that count them. */
  readonly moreTokens: number;
  /** Unix seconds. */
  readonly at: number;
  readonly payer: Payer | undefined;
  /** Size of the hold when granted; fixed at the first planning, so that a repeated batch does not extend twice. */
  to: number;
  /** The same in tokens; undefined until it is planned. */
  toTokens: number | undefined;
  granted: boolean;
  /** As `ReserveOp.budgets`. */
  budgets: string;
  error: Error | undefined;
}

export interface MarkOp {
  readonly kind: 'mark';
  readonly requestId: string;
  readonly progress: number;
  /** The note of the hold; undefined keeps the stored one. */
  readonly request: string | undefined;
  /** Tokens of the output so far with its input, for budgets that count them. */
  readonly tokens: number;
  readonly payer: Payer | undefined;
  error: Error | undefined;
}

export interface SettleOp {
  readonly kind: 'settle';
  readonly requestId: string;
  readonly settlement: Settlement;
  readonly at: number;
  readonly payer: Payer | undefined;
  readonly remarks: SettleRemarks | undefined;
  /** The unwritten step that took the hold. If it fails, the settlement fails too. */
  readonly by: ReserveOp | undefined;
  /** The request id of a hold that stays: the charge is a part of it. Undefined to end the hold of the request itself. */
  readonly partOf: string | undefined;
  /** True to leave out the log row and the hourly sums if they cannot be stored. */
  withoutLog: boolean;
  result: Settled | undefined;
  error: Error | undefined;
}

export interface ReleaseOp {
  readonly kind: 'release';
  readonly requestId: string;
  readonly payer: Payer | undefined;
  error: Error | undefined;
}

/** One step of the request path, with its result. Performing it again overwrites the result. */
export type Op = ReserveOp | ExtendOp | MarkOp | SettleOp | ReleaseOp;

export const reserveOp = (
  request: ReserveRequest,
  at: number,
  node: string,
  deferredUntil = 0,
): ReserveOp => ({
  kind: 'reserve',
  requestId: request.requestId,
  request,
  at,
  node,
  amount: 0,
  tokens: 0,
  announced: false,
  deferredUntil,
  later: undefined,
  budgets: '',
  error: undefined,
});

export const extendOp = (
  requestId: string,
  [more, moreTokens]: readonly [more: number, moreTokens: number],
  at: number,
  payer: Payer | undefined,
): ExtendOp => ({
  kind: 'extend',
  requestId,
  more,
  moreTokens,
  at,
  payer,
  to: 0,
  toTokens: undefined,
  granted: false,
  budgets: '',
  error: undefined,
});

export const markOp = (
  requestId: string,
  progress: number,
  payer: Payer | undefined,
  { request, tokens = 0 }: { request?: string | undefined; tokens?: number | undefined } = {},
): MarkOp => ({
  kind: 'mark',
  requestId,
  progress,
  request,
  tokens,
  payer,
  error: undefined,
});

export const settleOp = (
  settlement: Settlement,
  at: number,
  payer: Payer | undefined,
  remarks: SettleRemarks | undefined,
  by?: ReserveOp,
  partOf?: string,
): SettleOp => ({
  kind: 'settle',
  requestId: settlement.requestId,
  settlement,
  at,
  payer,
  remarks,
  by,
  partOf,
  withoutLog: false,
  result: undefined,
  error: undefined,
});

export const releaseOp = (requestId: string, payer: Payer | undefined): ReleaseOp => ({
  kind: 'release',
  requestId,
  payer,
  error: undefined,
});

/** Refuses amounts that are not whole, non-negative quota units or tokens within the exact range of sums; all but the first may be absent. */
export function assertAmount(...amounts: readonly [number, ...(number | undefined)[]]): void {
  for (const each of amounts) {
    if (each === undefined) continue;
    if (!Number.isSafeInteger(each) || each < 0 || each > maxQuota) {
      throw new RangeError(`not an amount of quota: ${each}`);
    }
  }
}

/**
 * The part of `amount` that a balance pays: from its hold, then from the amount that no other hold claims. Never more
 * than the balance, which may have been set below its holds in the meantime.
 */
export const payable = (amount: number, hold: number, balance: number, held: number): number =>
  Math.max(0, Math.min(amount, balance, Math.max(hold, balance - (held - hold))));
