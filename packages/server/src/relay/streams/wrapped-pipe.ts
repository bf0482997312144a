import type { Usage } from '@tollgate/contract';
import type { AnswerEnd, AnswerPipe, DeliveredText, Unframer } from '../types/index.ts';

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

/** Adds the one web search of a model that always searches (`alwaysSearches`) to the usage of its answer. */
export class SearchCount extends WrappedPipe {
  protected override changeEnd(end: AnswerEnd): AnswerEnd {
    if (!end.usage || end.usage.webSearchCalls > 0) return end;
    return { ...end, usage: { ...end.usage, webSearchCalls: 1 } };
  }
}

/** Reads a stream through an unframer; a failure in it ends the answer in the caller's protocol. */
export class UnframePipe implements AnswerPipe {
  private readonly unframer: Unframer;
  private readonly inner: AnswerPipe;
  /** The vendor continues after its failure. */
  private goesOn = false;

  constructor(unframer: Unframer, inner: AnswerPipe) {
    this.unframer = unframer;
    this.inner = inner;
  }

  get contentType(): string {
    return this.inner.contentType;
  }

  /** The failure is not raised immediately: events before it in the same chunk are still being sent to the caller. */
  get failed(): boolean {
    return this.inner.failed || this.goesOn;
  }

  get isEmpty(): boolean {
    return this.inner.isEmpty;
  }

  get mediaMarks(): readonly Buffer[] | undefined {
    return this.inner.mediaMarks;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.unframer.error) {
      this.goesOn = true;
      return undefined;
    }
    const events = this.unframer.push(chunk);
    return events && this.inner.push(events);
  }

  end(broken: boolean): AnswerEnd {
    const { error, isTorn } = this.unframer;
    const end = this.inner.end(broken || isTorn || error !== undefined);
    // An answer that was complete before stays complete; a failure reported in the events has the better message.
    if (!error || end.outcome !== 'truncated') return end;
    return { ...end, outcome: 'error', tail: undefined, error };
  }

  takeText(): DeliveredText {
    return this.inner.takeText();
  }

  takeReport(): Usage | undefined {
    return this.inner.takeReport?.();
  }
}
