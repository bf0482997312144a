import { channel } from 'node:diagnostics_channel';
import { product, type Usage } from '@tollgate/contract';
import { StateFlow, type StateMove, type StateTable } from '../../lib/state-flow.ts';
import {
  type AnswerEnd,
  type AnswerPipe,
  type DeliveredText,
  refuse,
  type RelayError,
  type UpstreamCall,
} from '../../relay/types/index.ts';
import { unanswered } from '../upstream/index.ts';

type Headers = Record<string, string>;
type ReceivedHeaders = Record<string, string | string[] | undefined>;

/** The parts of an upstream's head that the gateway uses. */
export interface UpstreamHead {
  status: number;
  contentType: string;
  /** Value of Retry-After. */
  retryAfter: string | undefined;
  /** Headers that are passed to the caller; undefined for none. */
  passed: Headers | undefined;
  /** Headers of an error that are passed to the caller. */
  ofError: Headers | undefined;
}

/** Headers that are passed to the caller beside Content-Type: those that describe the answer itself. */
const forwardedHeaders = ['openai-processing-ms', 'openai-version', 'openai-model', 'anthropic-version'];

/** Headers of errors that are passed, too: the vendor's quotas, and whether and when the caller may come back. */
const errorHeader = /^(?:(?:anthropic-|x-)?ratelimit(?:-.+)?|x-codex-.+|retry-after(?:-ms)?|x-should-retry)$/;
const maxErrorHeaders = 50;

/** Seconds, fewer than decades, or a date. */
const isWait = (value: string): boolean => /^\d{1,9}$/.test(value) || /^\w{3}, .* GMT$/.test(value);

function errorHeadersFrom(headers: ReceivedHeaders): Headers | undefined {
  const passed = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' && errorHeader.test(name) && (name !== 'retry-after' || isWait(value))
      ? [[name, value] as const]
      : [],
  );
  return passed.length > 0 ? Object.fromEntries(passed.slice(0, maxErrorHeaders)) : undefined;
}

const first = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

/** Reads an upstream's head. No headers of a stream are passed on. */
export function readHead(status: number, headers: ReceivedHeaders, isStream: boolean): UpstreamHead {
  return {
    status,
    contentType: first(headers['content-type']) ?? '',
    retryAfter: first(headers['retry-after']),
    passed: isStream ? undefined : forwardedFrom(headers),
    ofError: status < 400 ? undefined : errorHeadersFrom(headers),
  };
}

function forwardedFrom(headers: ReceivedHeaders): Headers | undefined {
  let passed: Headers | undefined;
  for (const name of forwardedHeaders) {
    const value = headers[name];
    if (typeof value === 'string') (passed ??= {})[name] = value;
  }
  return passed;
}

/** Tollgate's own headers for an answer: of a stream, and of an answer in one piece. */
export type GatewayHeaders = Record<'stream' | 'whole', Headers>;

/** The headers for the caller, once the pipe has determined the content type. */
export function headFor(pipeType: string, own: GatewayHeaders, passed: Headers | undefined): Headers {
  const type = pipeType || 'application/json';
  const head = { ...(type.startsWith('text/event-stream') ? own.stream : own.whole) };
  if (passed) Object.assign(head, passed);
  head['content-type'] = type;
  return head;
}

/** The events of an answer. */
export const answerEvents = [
  /** The upstream's head: success, or an error status. */
  'head',
  'refusal',
  /** The first piece with content, or the end of an answer in one piece. */
  'begin',
  /** The hold does not cover a piece, or the end: it waits until the hold has grown. */
  'piece-unpaid',
  'end-unpaid',
  /** The hold has grown or cannot grow: the piece is checked again. */
  'paid',
  /** The balance has ended. */
  'cut',
  /** The caller disconnected, and the upstream is read to its end for its usage. */
  'leave',
  /** The upstream's answer is complete; it broke off after a part was delivered; it failed before, so another channel may be tried. */
  'complete',
  'break',
  'fail',
  /** Tollgate ends it: the caller disconnected, the balance ended, the process stops. */
  'stop',
] as const;

export type AnswerEvent = (typeof answerEvents)[number];

export type AnswerState =
  /** Sent; no head yet. */
  | 'asked'
  /** The head was an error: its body is gathered. */
  | 'refused'
  /** The head was a success, and there is no content yet: the received bytes are stored, and another channel may still be tried. */
  | 'opening'
  /** Pieces are passed to the caller. */
  | 'streaming'
  /** A piece waits for the hold to grow, and the upstream is paused. */
  | 'waiting'
  /** The balance ended within an event, which is delivered to its end. */
  | 'cutting'
  /** The upstream has ended; its end waits for the hold to grow. */
  | 'closing'
  /** Read to the end without a caller. */
  | 'draining'
  /** Over: complete, incomplete, failed so that another channel may be tried, ended by Tollgate. */
  | 'whole'
  | 'broken'
  | 'failed'
  | 'stopped';

type Row = StateTable<AnswerState, AnswerEvent>[AnswerState];

/** The upstream has one head; a second one is ignored. */
const headed: Row = { head: 'ignored', refusal: 'ignored' };
/** Events from outside may arrive too late. */
const over: Row = { ...headed, paid: 'ignored', leave: 'ignored', stop: 'ignored' };

/** The next state for each state and event. What is not listed cannot happen. */
export const answerMoves: StateTable<AnswerState, AnswerEvent> = {
  asked: { head: 'opening', refusal: 'refused', leave: 'draining', fail: 'failed', stop: 'stopped' },
  refused: { ...headed, leave: 'refused', fail: 'failed', stop: 'stopped' },
  opening: { ...headed, begin: 'streaming', leave: 'draining', fail: 'failed', stop: 'stopped' },
  streaming: {
    ...headed,
    'piece-unpaid': 'waiting',
    'end-unpaid': 'closing',
    cut: 'cutting',
    leave: 'draining',
    complete: 'whole',
    break: 'broken',
    fail: 'failed',
    stop: 'stopped',
  },
  waiting: { ...headed, paid: 'streaming', leave: 'draining', stop: 'stopped' },
  // The answer ends because the balance is used up; later events do not change that.
  cutting: { ...headed, leave: 'ignored', stop: 'stopped' },
  closing: {
    ...headed,
    paid: 'closing',
    'end-unpaid': 'closing',
    leave: 'draining',
    complete: 'whole',
    stop: 'stopped',
  },
  draining: {
    head: 'draining',
    refusal: 'refused',
    paid: 'ignored',
    leave: 'ignored',
    complete: 'whole',
    break: 'broken',
    fail: 'failed',
    stop: 'stopped',
  },
  whole: over,
  broken: over,
  failed: over,
  stopped: over,
};

/** One transition, in the form published on `answerMoved`. */
export type AnswerMove = StateMove<AnswerState, AnswerEvent>;

/** Every transition of every answer of this process, for diagnosis. */
export const answerMoved = channel(`${product.id}:answer-moved`);

/** The state machine of an answer. */
export class AnswerFlow extends StateFlow<AnswerState, AnswerEvent> {
  constructor() {
    super(answerMoves, 'asked', answerMoved);
  }

  /** True once there is a result. */
  get isOver(): boolean {
    return answerMoves[this.state] === over;
  }
}

/** The upstream could not be reached or broke before its head (docs/compatibility.md#relay-errors). */
export const unreachable = (cause: unknown): RelayError => unanswered('upstream_unreachable', cause);

/** The upstream ended its answer before it was complete. */
export const brokenOff = (): RelayError => refuse('answer_broken_off');

/** The fields of an end that was not delivered. */
export const notDelivered = { outcome: 'truncated', tail: undefined } as const;

/** The end of an answer without any received bytes. */
export const noAnswer: AnswerEnd = { ...notDelivered, usage: undefined, error: undefined };

/** A complete answer without content, finish reason and usage becomes an error. */
export function emptyAsError(pipe: Pick<AnswerPipe, 'isEmpty'>, end: AnswerEnd): AnswerEnd {
  if (end.outcome !== 'complete' || end.usage || !pipe.isEmpty) return end;
  return { ...end, outcome: 'error', tail: undefined, error: refuse('answer_without_content') };
}

/**
 * A pipe that never throws: an exception while an answer is read makes it a failed one. A pipe is called from socket
 * events, timers and promises, where an exception would have no handler and the call would never end.
 */
export class SafePipe implements AnswerPipe {
  private readonly inner: AnswerPipe;
  private fault: RelayError | undefined;

  constructor(inner: AnswerPipe) {
    this.inner = inner;
  }

  get contentType(): string {
    return this.inner.contentType;
  }

  get failed(): boolean {
    return this.fault !== undefined || this.inner.failed;
  }

  get isEmpty(): boolean {
    return this.inner.isEmpty;
  }

  get mediaMarks(): readonly Buffer[] | undefined {
    return this.inner.mediaMarks;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.fault) return undefined;
    try {
      return this.inner.push(chunk);
    } catch (cause) {
      this.note(cause);
      return undefined;
    }
  }

  end(broken: boolean): AnswerEnd {
    const end = this.innerEnd(broken);
    if (!this.fault) return end;
    // The usage that was reported before is still known.
    const { usage, inputUsage } = end;
    return { outcome: 'error', tail: undefined, usage, inputUsage, error: this.fault };
  }

  private innerEnd(broken: boolean): AnswerEnd {
    try {
      return this.inner.end(broken || this.fault !== undefined);
    } catch (cause) {
      this.note(cause);
      return { outcome: 'truncated', tail: undefined, usage: undefined, error: undefined };
    }
  }

  takeText(): DeliveredText {
    try {
      return this.inner.takeText();
    } catch (cause) {
      this.note(cause);
      return { output: '', reasoning: '', toolCalls: 0, omitted: 0 };
    }
  }

  takeReport(): Usage | undefined {
    try {
      return this.inner.takeReport?.();
    } catch (cause) {
      this.note(cause);
      return undefined;
    }
  }

  private note(cause: unknown): void {
    this.fault ??= refuse('answer_unreadable', {}, { cause });
  }
}

/** An error answer longer than this is read no further. */
const maxBytes = 64 * 1024;

/** The part of an upstream's error answer that is read. */
export class RefusalBody {
  private readonly chunks: Buffer[] = [];
  private size = 0;

  /** Stores a chunk; false if the body is now longer than the limit. */
  add(chunk: Buffer): boolean {
    this.size += chunk.length;
    this.chunks.push(chunk);
    return this.size <= maxBytes;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

/**
 * Reads the text of a refusal. Our own errors are not thrown here, because an exception in a socket's event would end
 * the process.
 */
export function readRefusal(
  call: Pick<UpstreamCall, 'readError' | 'secrets'>,
  { status = 0, contentType = '', retryAfter, ofError }: Partial<UpstreamHead> = {},
  body = new RefusalBody(),
): RelayError {
  try {
    const error = call.readError(status, contentType, body.bytes, retryAfter);
    const isSafe = ofError && !call.secrets.some((secret) => JSON.stringify(ofError).includes(secret));
    return isSafe ? error.copy({ headers: ofError }) : error;
  } catch (cause) {
    return refuse('bad_response_status_code', { status }, { cause });
  }
}
