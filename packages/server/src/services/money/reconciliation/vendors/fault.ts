import type { UsageFetch } from '@tollgate/contract';

type Kind = NonNullable<UsageFetch['fault']>;

/** Reason why a vendor's usage could not be read. The message is technical and never has a key. */
export class UsageFault extends Error {
  readonly kind: Kind;
  /** Seconds after which the vendor may be queried again; 0 if it did not state any. */
  readonly retryAfter: number;

  constructor(kind: Kind, detail: string, retryAfter = 0) {
    super(detail.slice(0, 300));
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}

/** An answer in an undocumented format. */
export const malformed = (what: string): UsageFault => new UsageFault('malformed', what);
