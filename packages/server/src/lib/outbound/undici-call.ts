import type { AnswerHandler, AnswerHeaders, Controller, Waiter } from '@tollgate/http-engine';
import type { Dispatcher } from 'undici';
import { asError } from './as-error.ts';

/** The parts of undici's controller that are used. */
type Steering = Pick<Dispatcher.DispatchController, 'pause' | 'resume' | 'abort'>;

/**
 * One call through undici, with the guarantees of `AnswerHandler`: it can be paused and aborted from the start, also
 * while it is queued or waits for a connection, and the data of one turn of the event loop are passed on as one
 * piece.
 */
export class UndiciCall implements Dispatcher.DispatchHandler, Controller {
  isOver = false;
  /** Its entry in a queue, while it waits. */
  waiter: Waiter<UndiciCall> | undefined;
  private readonly handler: AnswerHandler;
  private readonly options: Dispatcher.DispatchOptions;
  private readonly onReleased: () => void;
  private steering: Steering | undefined;
  private ended: Error | undefined;
  private isSent = false;
  private isPaused = false;
  private arrived: Buffer[] = [];

  /** `onReleased` is called when a sent call needs no connection any more. */
  constructor(handler: AnswerHandler, options: Dispatcher.DispatchOptions, onReleased: () => void) {
    this.handler = handler;
    this.options = options;
    this.onReleased = onReleased;
  }

  /** Notifies the handler that it can abort the call from now on. */
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
    // Nothing has been sent: a call that was aborted while queued is never sent.
    if (this.ended) steering.abort(this.ended);
    else if (this.isPaused) steering.pause();
  }

  onResponseStart(_steering: Steering, status: number, headers: AnswerHeaders): void {
    // Informational responses (1xx) are handled by undici.
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
    try {
      this.handler.onResponseEnd();
    } catch (error) {
      this.handler.onResponseError(this, asError(error));
    }
  }

  onResponseError(_steering: Steering | null, error: Error): void {
    this.release();
    this.flush();
    this.steering = undefined;
    this.abort(error);
  }
}
