import type { AnswerHandler, AnswerHeaders, Controller, Waiter } from '@tollgate/http-engine';
import type { Dispatcher } from 'undici';
import { asError } from './as-error.ts';

/** Undici's steering of a call, as far as it is used. */
type Steering = Pick<Dispatcher.DispatchController, 'pause' | 'resume' | 'abort'>;

/**
 * One call through undici, with the promises of `AnswerHandler`: it can be paused and aborted from the start, also while it
 * waits for its turn or a connection, and what came in one turn of the loop is handed on as one piece.
 */
export class UndiciCall implements Dispatcher.DispatchHandler, Controller {
  isOver = false;
  /** Its place in a line, while it waits for its turn. */
  waiter: Waiter<UndiciCall> | undefined;
  private readonly handler: AnswerHandler;
  private readonly options: Dispatcher.DispatchOptions;
  private readonly onReleased: () => void;
  private steering: Steering | undefined;
  private ended: Error | undefined;
  private isSent = false;
  private isPaused = false;
  private arrived: Buffer[] = [];

  /** `onReleased` is called once a call that was sent needs no connection any more. */
  constructor(handler: AnswerHandler, options: Dispatcher.DispatchOptions, onReleased: () => void) {
    this.handler = handler;
    this.options = options;
    this.onReleased = onReleased;
  }

  /** Tells the handler that it can be aborted from now on. */
  begin(): void {
    this.handler.onRequestStart(this);
  }

  /** Sends it; a call is sent once. */
  send(dispatcher: Dispatcher): void {
    this.waiter = undefined;
    this.isSent = true;
    try {
      dispatcher.dispatch(this.options, this);
    } catch (error) {
      this.abort(asError(error));
      this.release();
    }
  }

  private release(): void {
    if (!this.isSent) return;
    this.isSent = false;
    this.onReleased();
  }

  pause(): void {
    this.isPaused = true;
    this.steering?.pause();
  }

  resume(): void {
    this.isPaused = false;
    this.steering?.resume();
  }

  abort(error: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    this.ended = error;
    this.arrived = [];
    this.waiter?.drop();
    this.handler.onResponseError(this, error);
    this.steering?.abort(error);
  }

  onRequestStart(steering: Steering): void {
    this.steering = steering;
    // Nothing has been sent: a call that was aborted while it waited never leaves.
    if (this.ended) steering.abort(this.ended);
    else if (this.isPaused) steering.pause();
  }

  onResponseStart(_steering: Steering, status: number, headers: AnswerHeaders): void {
    // Heads before the final one are undici's affair.
    if (status >= 200 && !this.isOver) this.handler.onResponseStart(this, status, headers);
  }

  onResponseData(_steering: Steering, chunk: Buffer): void {
    if (this.arrived.push(chunk) === 1) process.nextTick(() => this.flush());
  }

  private flush(): void {
    const { arrived } = this;
    if (arrived.length === 0 || this.isOver) return;
    this.arrived = [];
    const data = arrived.length === 1 ? arrived[0]! : Buffer.concat(arrived);
    try {
      this.handler.onResponseData(this, data);
    } catch (error) {
      this.abort(asError(error));
    }
  }

  onResponseEnd(): void {
    this.release();
    this.flush();
    if (this.isOver) return;
    this.isOver = true;
    this.handler.onResponseEnd();
  }

  onResponseError(_steering: Steering | null, error: Error): void {
    this.release();
    this.flush();
    this.steering = undefined;
    this.abort(error);
  }
}
