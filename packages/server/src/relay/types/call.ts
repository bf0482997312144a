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
  /** The model name sent upstream. */
  upstreamModel: string;
  /** The protocol that it is written in. */
  protocol?: ProtocolId;
  /** Set when a suffix or field chose a reasoning effort (log row `reasoning_effort`). */
  reasoningEffort?: string | undefined;
  /** What a translated request could not say in the provider's protocol (docs/protocols); empty for most calls. */
  dropped: readonly string[];
  /** Set where the vendor goes on answering, and charging, when its connection is closed. */
  continuesWithoutCaller?: boolean;
  /** Words that must never reach the caller, should the upstream repeat them; `beforeSend` adds those it makes. */
  secrets: string[];
  /** The caller's body, parsed, whatever was made of it for the provider; of a form its text fields. */
  asked: JsonObject;
  /**
   * Set when the answer is given in the process, without a call (the sandbox), or is there already (`finishedAnswer`).
   */
  local?: LocalAnswer | undefined;
  /**
   * Set where the call is one message over a websocket, and each message that comes back a line of its answer
   * (`application/x-ndjson`); `isLast` knows the one behind which nothing follows.
   */
  overSocket?: { isLast(message: Buffer): boolean } | undefined;
  /** Set where the vendor counts the tokens of such a request; made only when somebody asks. */
  count?: (() => TokenCall) | undefined;
  /** Opens the reader of a 2xx answer. */
  openPipe(status: number, contentType: string): AnswerPipe;
  /** Reads any other answer; `retryAfter` is the value of that header. */
  readError(status: number, contentType: string, body: Buffer, retryAfter?: string): RelayError;
}

/** A question for the number of tokens, sent with the headers of the call. */
export interface TokenCall {
  url: string;
  body: Buffer;
  read(answer: JsonObject): number | undefined;
}

/** What a provider that answers in the process is asked. */
export interface LocalRequest {
  protocol: ProtocolId;
  /** The path as the caller sent it. */
  path: string;
  body: JsonObject;
  /** The files of a form. */
  files: readonly FormFile[];
}

/** An answer made in the process: what an upstream would have sent, piece by piece, at its own pace. */
export interface LocalAnswer {
  status: number;
  headers: Record<string, string>;
  /** Silence before the head, in ms. */
  headDelayMs: number;
  /** Pieces of the body, each after its delay in ms. */
  chunks: readonly { delayMs: number; bytes: Buffer }[];
  /** Ends properly, breaks off, or falls silent for ever. */
  ending: 'end' | 'cut' | 'stall';
}

/** A token and the time until which it is valid. */
export interface IssuedToken {
  value: string;
  expiresAtMs: number;
}

/** What a provider may use between writing a call and sending it. */
export interface SendTools {
  /** Unix ms. */
  nowMs(): number;
  /**
   * A token that the channel's key was exchanged for: made once, kept in memory until `expiresAtMs`, and shared by the
   * calls that ask for it meanwhile. `name` tells several tokens of one channel apart. A failure is not kept. `make`
   * learns the token before, where the vendor refused it ahead of its time (`Provider.refusesToken`).
   */
  token(name: string, make: (refused?: string) => Promise<IssuedToken>): Promise<string>;
  /**
   * The channel's key as it is stored by now, where it `isGood`; else what `renew` makes of it, once for all processes, and
   * stored in its place. For keys that end.
   */
  renewKey(isGood: (key: string) => boolean, renew: (key: string) => Promise<string>): Promise<string>;
  /** Asks the vendor something on the way, through the channel's proxy; throws RelayError when there is no answer. */
  ask(question: Question): Promise<{ status: number; body: Buffer }>;
  /** Waits so many ms; rejects when the request has ended meanwhile, because nobody needs what would come of it. */
  sleep(ms: number): Promise<void>;
  /** Fetches a file that a vendor's answer names, from a public address; throws RelayError where it cannot be had. */
  fetchFile(url: string): Promise<FetchedFile>;
}

/** A small call of ours to a vendor, with a small answer. */
export interface Question {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: Buffer;
  /**
   * True where it is what the caller waits for: it may take as long as any call, and is broken off when the request
   * ends. Never set where several calls wait for the answer, as for a token.
   */
  isCall?: boolean;
}
