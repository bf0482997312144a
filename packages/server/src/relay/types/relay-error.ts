import type { Words } from '@tollgate/contract';
import {
  type Blame,
  filledWords,
  type Language,
  type RelayErrorEntry,
  type RelayErrorName,
  relayErrors,
  type RelayValue,
  type RelayValues,
  formFaults,
} from '@tollgate/contract/relay-errors';
import type { JsonObject } from '../../lib/json.ts';
import type { FormError } from '../../lib/form.ts';

export type { Blame, Language } from '@tollgate/contract/relay-errors';

export interface RelayErrorFields {
  /** HTTP status for the caller, before any status_code_mapping. */
  status: number;
  /** The error's `code` on the wire. */
  code: string;
  /** Words for people. They never contain an upstream key, an internal address or a stack. */
  message: string;
  /** The same in both languages; absent if the words are an upstream's own. */
  words?: Words | undefined;
  /** `type` on the wire: ours by default; an upstream's own type when it sent an error object. */
  type?: string | undefined;
  param?: string | null;
  blame: Blame;
  /** The upstream's own error object, passed unchanged to callers of the same protocol. */
  original?: JsonObject | undefined;
  /** Seconds the caller should wait (answer header Retry-After). */
  retryAfterSeconds?: number | undefined;
  /** The balance, the key's quota or the member's limit does not suffice. */
  isBilling?: boolean | undefined;
  /** The same request fails again; the status decides if this is absent. */
  isFinal?: boolean | undefined;
  /** Headers of the upstream's error that are passed to the caller: its quotas, and whether a retry may help. */
  headers?: Readonly<Record<string, string>> | undefined;
  cause?: unknown;
}

/** The `type` of errors that Tollgate itself decides on: the word that clients of this protocol recognise. */
export const localErrorType = 'new_api_error';
/** The `type` of errors of an upstream that sent no error object of its own. */
export const upstreamErrorType = 'upstream_error';

/** Statuses below 500 after which the same request may succeed. */
const passing: ReadonlySet<number> = new Set([408, 409, 425, 429, 499]);
const failsAgain = (status: number): boolean => status < 500 && !passing.has(status);

/** A failed relay call, neutral: each protocol writes it in its own shape (`Protocol.writeError`). */
export class RelayError extends Error {
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly param: string | null;
  readonly blame: Blame;
  readonly original: JsonObject | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly words: Words | undefined;
  readonly isBilling: boolean;
  readonly isFinal: boolean;
  readonly headers: Readonly<Record<string, string>> | undefined;

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
    this.words = fields.words;
    this.isBilling = fields.isBilling ?? false;
    this.isFinal = fields.isFinal ?? failsAgain(fields.status);
    this.headers = fields.headers;
  }

  /** The same error with some fields changed; this one is its cause. */
  copy(changes: Partial<RelayErrorFields>): RelayError {
    const { status, code, message, type, param, blame, original, retryAfterSeconds, words, headers } = this;
    const { isBilling } = this;
    const isFinal = this.isFinal === failsAgain(status) ? undefined : this.isFinal;
    const fields = { status, code, message, type, param, blame, original, retryAfterSeconds, words, headers };
    return new RelayError({ ...fields, isBilling, isFinal, cause: this, ...changes });
  }

  /**
   * The error in `language`, which is undefined for readers without one. An upstream's own words exist in no other
   * language.
   */
  in(language: Language | undefined): RelayError {
    return language && this.words ? this.copy({ message: this.words[language] }) : this;
  }
}

/** Parts of an error that may differ from its entry in the table. */
type RelayErrorChanges = Partial<
  Pick<
    RelayErrorFields,
    'status' | 'code' | 'type' | 'param' | 'blame' | 'retryAfterSeconds' | 'isFinal' | 'headers' | 'cause'
  >
>;

/** Values and changes behind an error's name: errors without values need neither. */
export type RefuseArguments<Name extends RelayErrorName> = keyof RelayValues<Name> extends never
  ? [values?: Record<string, never>, changes?: RelayErrorChanges]
  : [values: RelayValues<Name>, changes?: RelayErrorChanges];

/** An error of the table in the contract, with the values for the places in its text. */
export function refuse<Name extends RelayErrorName>(name: Name, ...rest: RefuseArguments<Name>): RelayError {
  const [values, changes] = rest;
  return tableError(name, values ?? {}, changes);
}

/** The error of a name that is only known at run time. */
export function tableError(
  name: RelayErrorName,
  values: Readonly<Record<string, RelayValue>>,
  changes?: RelayErrorChanges,
): RelayError {
  const entry: RelayErrorEntry = relayErrors[name];
  const words = filledWords(entry, values);
  return new RelayError({
    status: entry.status,
    code: entry.code ?? name,
    message: words.en,
    words,
    type: entry.type,
    blame: entry.blame,
    retryAfterSeconds: entry.retryAfterSeconds,
    isBilling: entry.isBilling,
    isFinal: entry.isFinal,
    ...changes,
  });
}

/** The refusal of an unreadable form. */
export const invalidForm = ({ fault, value }: FormError): RelayError =>
  refuse('invalid_form', { detail: filledWords(formFaults[fault], { value }) });
