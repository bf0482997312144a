import type { Words } from '../words.ts';

export type { Language } from '../words.ts';

/** Who has to act on a failure: us (a fault or refusal of the gateway), the channel (try another one), or the caller. */
export type Blame = 'ours' | 'channel' | 'caller';

/**
 * One error of a relay call. `{name}` in the texts is a placeholder; both languages have the same ones. The type in
 * each protocol follows from status and blame (wire-types.ts).
 */
export interface RelayErrorEntry extends Words {
  /** HTTP status of the answer. */
  status: number;
  blame: Blame;
  /** The error's `code` on the wire; the entry's own name where absent. Clients match on it: it never changes. */
  code?: string;
  /** OpenAI's `type`, if it differs from the usual one for the blamed party. */
  type?: string;
  /** The balance, the key's quota or the member's limit does not suffice: protocols have a type of their own for it. */
  isBilling?: true;
  /** The same request fails again, although its status does not say so. */
  isFinal?: true;
  /** When to come back, where that is known (header Retry-After). */
  retryAfterSeconds?: number;
}
