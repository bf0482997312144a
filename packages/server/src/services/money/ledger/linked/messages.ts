import type { AvailableQuota } from '../engines/engine.ts';
import {
  InsufficientQuota,
  LedgerUnavailable,
  type RefusalReason,
  type Settled,
  UnknownHold,
} from '../plan/types.ts';

/** What a process asks of the one that keeps the books for it. */
export const linkRequests = {
  /** ReserveRequest, a number for the hold → Outcome of GrantedAnswer. */
  reserve: 'ledger:reserve',
  /** Request id, quota units more, PayerIds where they are known → Outcome of ExtendedAnswer. */
  extend: 'ledger:extend',
  /** Settlement, PayerIds where they are known → Outcome of SettledAnswer. */
  settle: 'ledger:settle',
  /** Request id, PayerIds where they are known → Outcome of StepAnswer. */
  release: 'ledger:release',
  /** Request id, quota units delivered, the note beside the hold or undefined → Outcome, when durable. */
  mark: 'ledger:mark',
  /** → Outcome. */
  flush: 'ledger:flush',
} as const;

/** What is sent without waiting for an answer. */
export const linkNotices = {
  /** ReserveRequest, a number for the hold: its caller has it already, and `durable` reports what became of it. */
  hold: 'ledger:hold',
  /** Request id. */
  endDeferral: 'ledger:endDeferral',
  /** Ids of accounts, tokens and members whose rows a transaction changed. */
  forget: 'ledger:forget',
  /**
   * To the one who asked: request id, the number of the hold, StepAnswer, and what went wrong where its hold does not stand. Not
   * sent for a hold whose settlement succeeds: that answers both.
   */
  durable: 'ledger:durable',
} as const;

/** What the answer to every step reports of its payer. */
export interface StepAnswer {
  /** Undefined where it is not known. */
  available: AvailableQuota | undefined;
}

/** A hold that was taken. */
export interface GrantedAnswer extends StepAnswer {
  /** Quota units. */
  amount: number;
}

/** Whether a hold was extended. */
export interface ExtendedAnswer extends StepAnswer {
  isHeld: boolean;
}

/** A settlement that was made. */
export type SettledAnswer = Settled & StepAnswer;

/** An error of the ledger, as it travels. */
export type Failure =
  | { readonly kind: 'quota'; reason: RefusalReason; available: number; needed: number; unheld: number }
  | { readonly kind: 'unavailable' | 'other'; words: string }
  | { readonly kind: 'unknown'; requestId: string };

export type Outcome<T> = { readonly result: T } | { readonly failure: Failure };

export function failureOf(error: unknown, requestId = ''): Failure {
  if (error instanceof InsufficientQuota) {
    const { reason, available, needed, unheld } = error;
    return { kind: 'quota', reason, available, needed, unheld };
  }
  if (error instanceof UnknownHold) return { kind: 'unknown', requestId };
  const words = error instanceof Error ? error.message : String(error);
  return { kind: error instanceof LedgerUnavailable ? 'unavailable' : 'other', words };
}

export function errorOf(failure: Failure): Error {
  switch (failure.kind) {
    case 'quota':
      return new InsufficientQuota(failure.reason, failure.available, failure.needed, failure.unheld);
    case 'unknown':
      return new UnknownHold(failure.requestId);
    case 'unavailable':
      return new LedgerUnavailable();
    case 'other':
      return new Error(failure.words);
  }
}
