import type { Controller, AnswerHandler } from '../../lib/outbound/http.ts';
import type { LocalAnswer } from '../../relay/types/index.ts';

/**
 * An answer made in the process (the sandbox provider), pushed into a handler exactly as an upstream's would be:
 * piece by piece, at its own pace, pausing when told to.
 */
export class LocalCall implements Controller {
  aborted = false;
  paused = false;
  reason: Error | null = null;
  private readonly answer: LocalAnswer;
  private readonly silenceMs: number;
  private handler: AnswerHandler | undefined;
  private next = 0;
  private timer: NodeJS.Timeout | undefined;
  private waiting = false;

  /** `silenceMs`: after so long without a byte the answer counts as broken, as on a socket; 0 for never. */
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
      if (!this.aborted) then();
    }, delayMs);
  }

  private step(): void {
    if (this.paused) {
      this.waiting = true;
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
    if (this.answer.ending === 'cut')
      this.handler?.onResponseError(this, new Error('the sandbox cut the answer'));
    else this.handler?.onResponseEnd();
  }

  private stall(): void {
    if (this.silenceMs <= 0) return;
    this.timer = setTimeout(() => this.abort(new Error('the sandbox fell silent')), this.silenceMs);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    if (!this.waiting) return;
    this.waiting = false;
    this.step();
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    clearTimeout(this.timer);
    this.handler?.onResponseError(this, reason);
  }
}
