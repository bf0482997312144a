import type { Language } from '@tollgate/contract';

/** A message to a person, by mail or webhook (docs/compatibility.md#notices). */
export interface Notice {
  /** `quota_exceed`, `channel_update_7_3`, `channel_test`: what the frequency limit counts, and receivers tell apart. */
  type: string;
  /** Plain text. */
  title: string;
  /** HTML with `{{value}}` slots, filled from `values` in order. Written by us; only the values come from outside. */
  content: string;
  /** The same as plain text: what mail programs show that show no HTML. */
  text: string;
  /** Plain texts. */
  values: readonly string[];
}

/** Writes a notice for a reader of a language. */
export type NoticeIn = (language: Language) => Notice;

/** Where a person wants to be told. */
export type Destination =
  { kind: 'email'; to: string } | { kind: 'webhook'; url: string; secret: string } | { kind: 'none' };

/** Thrown by a delivery that would fail again: it is not tried a second time. */
export class PermanentFailure extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'PermanentFailure';
  }
}
