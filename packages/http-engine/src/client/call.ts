import type { Written } from './request-head.ts';
import type { AnswerHandler, AnswerHeaders, Controller } from './types.ts';

/** What a call travels on. */
export interface Carrier {
  pause(): void;
  resume(): void;
  /** Ends the connection; the call on it is ended by the one who drops it. */
  drop(): void;
}

/** What is sent, and how long it may take; 0 for ever. */
export interface CallOptions extends Written {
  headersTimeoutMs: number;
  bodyTimeoutMs: number;
}

/**
 * One call and who hears of it. It outlives its connection's interest in it, so that a controller kept too long steers
 * nobody else's call.
 */
export class Call implements Controller {
  readonly options: CallOptions;
  isOver = false;
  isPaused = false;
  carrier: Carrier | undefined;
  private readonly handler: AnswerHandler;

  constructor(options: CallOptions, handler: AnswerHandler) {
    this.options = options;
    this.handler = handler;
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
