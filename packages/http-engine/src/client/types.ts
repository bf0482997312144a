import type { Scope } from '../guard.ts';

/** Names are in lower case; a header that occurs several times is a list. */
export type AnswerHeaders = Record<string, string | string[] | undefined>;

/** Steers a running call: pause and resume are back-pressure, abort ends it. */
export interface Controller {
  /** Nothing more is read than what has been read already. Waiting is not silence: no time runs out meanwhile. */
  pause(): void;
  resume(): void;
  /** Ends the call: the handler hears `error` before this returns. Once a call is over it does nothing. */
  abort(error: Error): void;
}

/** Receives an answer as it comes. */
export interface AnswerHandler {
  /** The call has begun, perhaps before there is a connection; from here on it can be aborted. */
  onRequestStart(controller: Controller): void;
  /** The final head; the ones before it (100 to 199) are not shown. */
  onResponseStart(controller: Controller, status: number, headers: AnswerHeaders): void;
  /** What came of the body with one read, as one piece, in bytes that nobody else uses. */
  onResponseData(controller: Controller, chunk: Buffer): void;
  onResponseEnd(): void;
  /** The call failed. Either this or `onResponseEnd` is the last that a handler hears, once. */
  onResponseError(controller: Controller, error: Error): void;
}

/** What a call carries, beside where it goes. Times are in milliseconds; 0 means no limit. */
export interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  headers: Record<string, string>;
  body?: Buffer;
  scope: Scope;
  /** From when the request is sent until the answer's head. */
  headersTimeoutMs: number;
  /** Of silence while the answer's body comes. */
  bodyTimeoutMs: number;
}

/** Where a call goes: an http or https address, taken apart. */
export interface Target {
  origin: string;
  isSecure: boolean;
  /** Without the brackets of an IPv6 address. */
  hostname: string;
  port: number;
  /** As the `host` header says it. */
  host: string;
  /** With the query. */
  path: string;
  /** Names of the connections that lead there, by the addresses that may be met on the way. */
  lines: Record<Scope, string>;
}
