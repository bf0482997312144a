import type { Readable } from 'node:stream';
import type { Scope } from '../guard.ts';

/** Names are in lower case; a header that occurs several times is a list. */
export type AnswerHeaders = Record<string, string | string[] | undefined>;

/** Controls a running call: pause and resume are back-pressure, abort ends it. */
export interface Controller {
  /** Stops reading from the socket. No timeout runs meanwhile. */
  pause(): void;
  resume(): void;
  /** Ends the call: the handler gets `error` before this returns. Does nothing once the call is over. */
  abort(error: Error): void;
}

/** Receives an answer as it arrives. */
export interface AnswerHandler {
  /** The call has begun, perhaps before there is a connection; from now on it can be aborted. */
  onRequestStart(controller: Controller): void;
  /** The final head; informational ones before it (100 to 199) are skipped. */
  onResponseStart(controller: Controller, status: number, headers: AnswerHeaders): void;
  /** The bytes of the body from one read, as one buffer that only the handler uses. */
  onResponseData(controller: Controller, chunk: Buffer): void;
  onResponseEnd(): void;
  /** The call failed. Either this or `onResponseEnd` is called last, once. */
  onResponseError(controller: Controller, error: Error): void;
}

/** A request without its target. Times are in milliseconds; 0 means no limit. */
export interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers: Record<string, string>;
  /** A stream is sent as it arrives: in chunks, unless the headers have its length. It is destroyed with its connection. */
  body?: Buffer | Readable;
  scope: Scope;
  /** From sending the request, or a piece of a streamed body, to the head of the answer. */
  headersTimeoutMs: number;
  /** Between two parts of the answer's body. */
  bodyTimeoutMs: number;
}

/** The target of a call: a parsed http or https address. */
export interface Target {
  origin: string;
  isSecure: boolean;
  /** Without the brackets of an IPv6 address. */
  hostname: string;
  port: number;
  /** The value for the `host` header. */
  host: string;
  /** With the query. */
  path: string;
  /** Keys of its connection pools, by the scope of allowed addresses. */
  lines: Record<Scope, string>;
}
