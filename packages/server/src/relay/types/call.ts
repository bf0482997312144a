import type { FetchedFile } from './chat.ts';
import type { FormFile } from './form.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { AnswerPipe } from './protocol.ts';
import type { ProtocolId } from './protocol-id.ts';
import type { RelayError } from './relay-error.ts';

/** A call ready to be sent. */
export interface UpstreamCall {
  method: 'POST' | 'GET';
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  /** The body of a large request, still to be written as JSON, which takes separate turns of the event loop. */
  unwritten?: JsonObject | undefined;
  /** The model name sent upstream. */
  upstreamModel: string;
  /** The protocol that it is written in. */
  protocol?: ProtocolId;
  /** Set when a suffix or field chose a reasoning effort (log row `reasoning_effort`). */
  reasoningEffort?: string | undefined;
  /** Parts that the translation omitted (docs/protocols); empty for most calls. */
  dropped: readonly string[];
  /** Set if the vendor continues, and charges, after its connection is closed. */
  continuesWithoutCaller?: boolean;
  /** Texts that must never reach the caller; `beforeSend` adds the texts that it creates. */
  secrets: string[];
  /** The caller's parsed body before changes for the provider; of a form its text fields. */
  asked: JsonObject;
  /** Set for an answer from the process (the sandbox), or an existing answer (`finishedAnswer`). */
  local?: LocalAnswer | undefined;
  /**
   * Set if the call is one message over a WebSocket and each received message a line of the answer
   * (`application/x-ndjson`); `isLast` recognises the last one.
   */
  overSocket?: { isLast(message: Buffer): boolean } | undefined;
  /** Set if the vendor counts the tokens of such a request; made only on demand. */
  count?: (() => TokenCall) | undefined;
  /** Opens the reader of a 2xx answer. */
  openPipe(status: number, contentType: string): AnswerPipe;
  /** Reads any other answer; `retryAfter` is the value of that header. */
  readError(status: number, contentType: string, body: Buffer, retryAfter?: string): RelayError;
}

/** A call that counts tokens, sent with the headers of the main call. */
interface TokenCall {
  url: string;
  body: Buffer;
  read(answer: JsonObject): number | undefined;
}

/** A request to a provider in the process. */
export interface LocalRequest {
  protocol: ProtocolId;
  /** The path from the caller. */
  path: string;
  body: JsonObject;
  /** The files of a form. */
  files: readonly FormFile[];
}

/** An answer made in the process, with pieces and delays like an upstream's. */
export interface LocalAnswer {
  status: number;
  headers: Record<string, string>;
  /** Silence before the head, in ms. */
  headDelayMs: number;
  /** Pieces of the body, each after its delay in ms. */
  chunks: readonly { delayMs: number; bytes: Buffer }[];
  /** Ends, breaks off, or sends nothing more. */
  ending: 'end' | 'cut' | 'stall';
}

/** A token and the time until which it is valid. */
export interface IssuedToken {
  value: string;
  expiresAtMs: number;
}

/** Tools of a provider between writing a call and sending it. */
export interface SendTools {
  /** Unix ms. */
  nowMs(): number;
  /**
   * A token in exchange for the channel's key: made once, kept in memory until `expiresAtMs`, and shared by calls. `name`
   * distinguishes tokens of one channel. A failure is not kept. `make` gets the former token if the vendor refused it
   * early (`Provider.refusesToken`).
   */
  token(name: string, make: (refused?: string) => Promise<IssuedToken>): Promise<string>;
  /**
   * The channel's stored key if it `isGood`; otherwise `renew` makes a new one, once for all processes, which replaces it.
   * For keys that expire.
   */
  renewKey(isGood: (key: string) => boolean, renew: (key: string) => Promise<string>): Promise<string>;
  /** Calls the vendor through the channel's proxy. Throws RelayError without an answer. */
  ask(question: Question): Promise<{ status: number; body: Buffer }>;
  /** Waits this many ms; rejects if the request ends meanwhile. */
  sleep(ms: number): Promise<void>;
  /** Fetches a file from a public address in a vendor's answer. Throws RelayError if it cannot. */
  fetchFile(url: string): Promise<FetchedFile>;
}

/** A small call from Tollgate to a vendor, with a small answer. */
export interface Question {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: Buffer;
  /**
   * True if only the caller waits for it: it has the timeout of a call, and ends with the request. Never for answers that
   * several calls share, such as a token.
   */
  isCall?: boolean;
}
