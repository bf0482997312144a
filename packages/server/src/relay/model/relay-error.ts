import type { JsonObject } from './json.ts';

/** Who has to act on a failure: us (a fault or refusal of the gateway), the channel (try another one), or the caller. */
export type Blame = 'ours' | 'channel' | 'caller';

export interface RelayErrorFields {
  /** HTTP status for the caller, before any status_code_mapping. */
  status: number;
  /** The error's `code` on the wire; wire-facts 2.4 lists the local ones. */
  code: string;
  /** Words for people. Never contains an upstream key, an internal address or a stack. */
  message: string;
  /** `type` on the wire: ours by default; an upstream's own type when it sent an error object. */
  type?: string;
  param?: string | null;
  blame: Blame;
  /** The upstream's own error object, passed on unchanged to a caller who speaks the same protocol. */
  original?: JsonObject;
  /** Seconds the caller should wait (answer header Retry-After). */
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** The `type` of errors that Tollgate itself decides on: the word of wire-facts 2.4, which clients know. */
export const localErrorType = 'new_api_error';
/** The `type` of errors of an upstream that sent no error object of its own. */
export const upstreamErrorType = 'upstream_error';

/** A failed relay call, neutral: each protocol writes it in its own shape (`Protocol.writeError`). */
export class RelayError extends Error {
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly param: string | null;
  readonly blame: Blame;
  readonly original: JsonObject | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(fields: RelayErrorFields) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = 'RelayError';
    this.status = fields.status;
    this.code = fields.code;
    this.type = fields.type ?? (fields.blame === 'channel' ? upstreamErrorType : localErrorType);
    this.param = fields.param ?? null;
    this.blame = fields.blame;
    this.original = fields.original;
    this.retryAfterSeconds = fields.retryAfterSeconds;
  }
}

/** A refusal of the gateway itself: never retried on another channel. */
export const refuse = (status: number, code: string, message: string): RelayError =>
  new RelayError({ status, code, message, blame: status < 500 ? 'caller' : 'ours' });
