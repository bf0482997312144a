import type { Usage } from '@tollgate/contract';
import type { AnswerEnd, AnswerPipe, DeliveredText } from '../types/index.ts';

/** A pipe around another one that only changes the end. */
export abstract class WrappedPipe implements AnswerPipe {
  private readonly inner: AnswerPipe;

  constructor(inner: AnswerPipe) {
    this.inner = inner;
  }

  get contentType(): string {
    return this.inner.contentType;
  }

  get failed(): boolean {
    return this.inner.failed;
  }

  get isEmpty(): boolean {
    return this.inner.isEmpty;
  }

  get mediaMarks(): readonly Buffer[] | undefined {
    return this.inner.mediaMarks;
  }

  push(chunk: Buffer): Buffer | undefined {
    return this.inner.push(chunk);
  }

  end(broken: boolean): AnswerEnd {
    return this.changeEnd(this.inner.end(broken));
  }

  protected abstract changeEnd(end: AnswerEnd): AnswerEnd;

  takeText(): DeliveredText {
    return this.inner.takeText();
  }

  takeReport(): Usage | undefined {
    return this.inner.takeReport?.();
  }
}
