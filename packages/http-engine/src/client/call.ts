import type { Written } from './request-head.ts';
import type { AnswerHandler, AnswerHeaders, Controller } from './types.ts';

/** The connection of a call, or its place in the waiting line. */
export interface CallTransport {
  pause(): void;
  resume(): void;
  /** Closes the connection; its caller ends the call itself. */
  drop(): void;
}

/** Timeouts of a call in milliseconds; 0 for no limit. */
export interface CallTimes {
  headersTimeoutMs: number;
  bodyTimeoutMs: number;
}

/**
 * One call and its handler. It is separate from its connection, so that a controller that is kept too long cannot affect
 * the next call on the connection.
 */
export class Call implements Controller {
  readonly times: CallTimes;
  /** Its connection must not be used again. */
  readonly isLast: boolean;
  isOver = false;
  isPaused = false;
  transport: CallTransport | undefined;
  private readonly handler: AnswerHandler;
  private written: Written | undefined;

  constructor(written: Written, times: CallTimes, handler: AnswerHandler) {
    this.written = written;
    this.isLast = written.isLast;
    this.times = times;
    this.handler = handler;
  }

  /** The request to send. Throws once it was sent. */
  get request(): Written {
    if (!this.written) throw new Error('the call has been sent');
    return this.written;
  }

  /** The request was sent: it is released, because the answer may take minutes. */
  sent(): void {
    this.written = undefined;
  }

  pause(): void {
    this.isPaused = true;
    this.transport?.pause();
  }

  resume(): void {
    this.isPaused = false;
    this.transport?.resume();
  }

  abort(error: Error): void {
    if (this.isOver) return;
    this.leave()?.drop();
    this.handler.onResponseError(this, error);
  }

  /** Gives the controller to the handler: the call can be aborted from now on. */
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

  private leave(): CallTransport | undefined {
    const { transport } = this;
    this.isOver = true;
    this.transport = undefined;
    return transport;
  }
}

export const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));
