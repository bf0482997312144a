import { asError } from '../../lib/outbound/as-error.ts';
import type { AnswerHandler, Controller } from '../../lib/outbound/http.ts';
import type { LocalAnswer } from '../../relay/types/index.ts';

/**
 * An answer made in the process (the sandbox provider), passed to a handler exactly like an upstream's: piece by
 * piece, with its delays, and pausing on demand.
 */
export class LocalCall implements Controller {
  private readonly answer: LocalAnswer;
  private readonly silenceMs: number;
  private handler: AnswerHandler | undefined;
  private next = 0;
  private timer: NodeJS.Timeout | undefined;
  private isPaused = false;
  /** Paused with a piece that is due: it is delivered on resume. */
  private isWaiting = false;
  private isOver = false;

  /** `silenceMs`: timeout between two pieces, as on a socket; 0 for none. */
  constructor(answer: LocalAnswer, silenceMs: number) {
    this.answer = answer;
    this.silenceMs = silenceMs;
  }

  run(handler: AnswerHandler): void {
    this.handler = handler;
    handler.onRequestStart(this);
    this.schedule(this.answer.headDelayMs, () => {
      handler.onResponseStart(this, this.answer.status, this.answer.headers);
      this.step();
    });
  }

  private schedule(delayMs: number, then: () => void): void {
    // Even without a delay the answer comes in a later turn of the loop, as it would from a socket.
    this.timer = setTimeout(() => {
      if (!this.isOver) this.guard(then);
    }, delayMs);
  }

  /** An exception of the handler ends this call, as on HTTP; thrown from a timer it would end the process. */
  private guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.abort(asError(error));
    }
  }

  private step(): void {
    if (this.isPaused) {
      this.isWaiting = true;
      return;
    }
    const chunk = this.answer.chunks[this.next];
    if (!chunk) return this.finish();
    this.next += 1;
    this.schedule(chunk.delayMs, () => {
      this.handler?.onResponseData(this, chunk.bytes);
      this.step();
    });
  }

  private finish(): void {
    if (this.answer.ending === 'stall') return this.stall();
    if (this.answer.ending === 'cut') return this.abort(new Error('the sandbox cut the answer'));
    this.isOver = true;
    try {
      this.handler?.onResponseEnd();
    } catch (error) {
      this.handler?.onResponseError(this, asError(error));
    }
  }

  private stall(): void {
    if (this.silenceMs <= 0) return;
    this.timer = setTimeout(() => this.abort(new Error('the sandbox fell silent')), this.silenceMs);
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    if (!this.isWaiting) return;
    this.isWaiting = false;
    this.guard(() => this.step());
  }

  abort(reason: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.timer);
    this.handler?.onResponseError(this, reason);
  }
}
