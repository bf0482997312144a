import type { Words } from '../words.ts';

export type { Language } from '../words.ts';

/**
 * Party that must act on a failure: us (a fault or refusal of the gateway), the channel (another one may work), or
 * the caller.
 */
export type Blame = 'ours' | 'channel' | 'caller';

/**
 * One error of a relay call. `{name}` in the texts is a placeholder; both languages have the same ones. Status and
 * blame determine the type in each protocol (wire-types.ts).
 */
export interface RelayErrorEntry extends Words {
  /** HTTP status of the answer. */
  status: number;
  blame: Blame;
  /** The error's `code` on the wire; the name of the entry if absent. It never changes, because clients match on it. */
  code?: string;
  /** OpenAI's `type`, if it differs from the usual one for the blamed party. */
  type?: string;
  /** The balance, the key's quota or the member's limit is too low. Protocols have a separate type for this. */
  isBilling?: true;
  /** The same request fails again, although its status does not say so. */
  isFinal?: true;
  /** Time until a retry, if known (header Retry-After). */
  retryAfterSeconds?: number;
}
