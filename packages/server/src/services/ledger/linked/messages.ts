import { InsufficientQuota, LedgerUnavailable, type RefusalReason, UnknownHold } from '../plan/types.ts';

/** What a process asks of the one that keeps the books for it. */
export const asked = {
  /** ReserveRequest, a number for the hold → Outcome of the amount held. */
  reserve: 'ledger:reserve',
  /** Request id, quota units more → Outcome of whether they are held. */
  extend: 'ledger:extend',
  /** Settlement → Outcome of what it did. */
  settle: 'ledger:settle',
  /** Request id → Outcome. */
  release: 'ledger:release',
  /** → Outcome. */
  flush: 'ledger:flush',
} as const;

/** What is said without waiting for an answer. */
export const notices = {
  /** Request id. */
  hurry: 'ledger:hurry',
  /** Request id, quota units delivered, the note beside the hold or undefined. */
  mark: 'ledger:mark',
  /** Ids of accounts, tokens and members whose rows a transaction changed. */
  forget: 'ledger:forget',
  /** To the one who asked: request id, the number of the hold, and what went wrong where its hold does not stand. */
  durable: 'ledger:durable',
} as const;

/** An error of the ledger, as it travels. */
export type Failure =
  | { readonly kind: 'quota'; reason: RefusalReason; available: number; needed: number }
  | { readonly kind: 'unavailable' | 'other'; words: string }
  | { readonly kind: 'unknown'; requestId: string };

export type Outcome<T> = { readonly result: T } | { readonly failure: Failure };

export function failureOf(error: unknown, requestId = ''): Failure {
  if (error instanceof InsufficientQuota) {
    const { reason, available, needed } = error;
    return { kind: 'quota', reason, available, needed };
  }
  if (error instanceof UnknownHold) return { kind: 'unknown', requestId };
  const words = error instanceof Error ? error.message : String(error);
  return { kind: error instanceof LedgerUnavailable ? 'unavailable' : 'other', words };
}

export function errorOf(failure: Failure): Error {
  switch (failure.kind) {
    case 'quota':
      return new InsufficientQuota(failure.reason, failure.available, failure.needed);
    case 'unknown':
      return new UnknownHold(failure.requestId);
    case 'unavailable':
      return new LedgerUnavailable();
    case 'other':
      return new Error(failure.words);
  }
}
