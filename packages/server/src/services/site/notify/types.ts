import type { Language } from '@tollgate/contract';

/** A message to a user, by mail or webhook (docs/compatibility.md#notices). */
export interface Notice {
  /** `quota_exceed`, `channel_update_7_3`, `channel_test`: counted by the frequency limit, and used by receivers. */
  type: string;
  /** Plain text. */
  title: string;
  /** HTML with `{{value}}` slots, filled from `values` in order. Only the values come from outside. */
  content: string;
  /** The same as plain text, for mail programs without HTML. */
  text: string;
  /** Plain texts. */
  values: readonly string[];
}

/** Writes a notice in a language. */
export type NoticeIn = (language: Language) => Notice;

/** Address for a user's notifications. */
export type Destination =
  | { kind: 'email'; to: string }
  | { kind: 'webhook'; url: string; secret: string }
  | { kind: 'none' };

/** Thrown by a delivery that would fail again; it is not retried. */
export class PermanentFailure extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'PermanentFailure';
  }
}
