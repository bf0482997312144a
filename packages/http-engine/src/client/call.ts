import type { Written } from './request-head.ts';
import type { AnswerHandler, AnswerHeaders, Controller } from './types.ts';

/** What a call travels on. */
export interface Carrier {
  pause(): void;
  resume(): void;
  /** Ends the connection; the call on it is ended by the one who drops it. */
  drop(): void;
}

/** How long a call may take; 0 for ever. */
export interface CallTimes {
  headersTimeoutMs: number;
  bodyTimeoutMs: number;
}

/**
 * One call and who hears of it. It outlives its connection's interest in it, so that a controller kept too long steers
 * nobody else's call.
 */
export class Call implements Controller {
  readonly times: CallTimes;
  /** Its connection must not be used again. */
  readonly isLast: boolean;
  isOver = false;
  isPaused = false;
  carrier: Carrier | undefined;
  private readonly handler: AnswerHandler;
  private written: Written | undefined;

  constructor(written: Written, times: CallTimes, handler: AnswerHandler) {
    this.written = written;
    this.isLast = written.isLast;
    this.times = times;
    this.handler = handler;
  }

  /** What is to be sent. */
  get request(): Written {
    if (!this.written) throw new Error('the call has been sent');
    return this.written;
  }

  /** It has been sent: an answer may take minutes, and its request does not stay in memory for so long. */
  sent(): void {
    this.written = undefined;
  }

  pause(): void {
    this.isPaused = true;
    this.carrier?.pause();
  }

  resume(): void {
    this.isPaused = false;
    this.carrier?.resume();
  }

  abort(error: Error): void {
    if (this.isOver) return;
    this.leave()?.drop();
    this.handler.onResponseError(this, error);
  }

  /** Tells the handler that it can be aborted from now on. */
  begin(): void {
    try {
      this.handler.onRequestStart(this);
    } catch (error) {
      this.abort(asError(error));
    }
  }

  head(status: number, headers: AnswerHeaders): void {
    try {
      this.handler.onResponseStart(this, status, headers);
    } catch (error) {
      this.abort(asError(error));
    }
  }

  data(chunk: Buffer): void {
    try {
      this.handler.onResponseData(this, chunk);
    } catch (error) {
      this.abort(asError(error));
    }
  }

  end(): void {
    this.leave();
    try {
      this.handler.onResponseEnd();
    } catch (error) {
      this.handler.onResponseError(this, asError(error));
    }
  }

  private leave(): Carrier | undefined {
    const { carrier } = this;
    this.isOver = true;
    this.carrier = undefined;
    return carrier;
  }
}

export const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));
