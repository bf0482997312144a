import type { Usage } from '@tollgate/contract';
import {
  type AnswerEnd,
  type AnswerPipe,
  type DeliveredText,
  refuse,
  type RelayError,
} from '../../relay/types/index.ts';

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
