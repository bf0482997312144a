import type { UsageFetch } from '@tollgate/contract';

type Kind = NonNullable<UsageFetch['fault']>;

/** Reason why a vendor's usage could not be read. The message is technical and never has a key. */
export class UsageFault extends Error {
  readonly kind: Kind;
  /** Seconds after which the vendor may be asked again; 0 where it did not say. */
  readonly retryAfter: number;

  constructor(kind: Kind, detail: string, retryAfter = 0) {
    super(detail.slice(0, 300));
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}

/** An answer of another form than the documented one. */
export const malformed = (what: string): UsageFault => new UsageFault('malformed', what);
