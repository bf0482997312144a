import type { Usage } from '@tollgate/contract';
import type { AnswerEnd, AnswerPipe, BodyKind, DeliveredText } from '../types/index.ts';
import { firstByte } from './json-pass.ts';
import { emptyText } from './text-tap.ts';

/** What a Content-Type promises; undefined when it says neither. */
export function kindOf(contentType: string): BodyKind | undefined {
  if (contentType.includes('event-stream')) return 'stream';
  return contentType.includes('json') ? 'json' : undefined;
}

const anything = [Buffer.from(':')];

/** Waits for the first byte that tells events from JSON, where the vendor's Content-Type did not. */
export class SniffPipe implements AnswerPipe {
  private readonly open: (kind: BodyKind) => AnswerPipe;
  private readonly choose: (first: number | undefined) => BodyKind;
  private pipe: AnswerPipe | undefined;
  private blanks: Buffer[] = [];

  /** `choose` says what begins with a byte; undefined stands for an answer of blanks. */
  constructor(open: (kind: BodyKind) => AnswerPipe, choose = eventsOrJson) {
    this.open = open;
    this.choose = choose;
  }

  get contentType(): string {
    return this.pipe?.contentType ?? 'application/json';
  }

  get failed(): boolean {
    return this.pipe?.failed ?? false;
  }

  get isEmpty(): boolean {
    return this.pipe?.isEmpty ?? true;
  }

  private chosen(kind: BodyKind): AnswerPipe {
    return (this.pipe ??= this.open(kind));
  }

  get mediaMarks(): readonly Buffer[] | undefined {
    // Nobody knows yet what it is: its first events are read one by one.
    return this.pipe ? this.pipe.mediaMarks : anything;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.pipe) return this.pipe.push(chunk);
    const first = firstByte(chunk);
    this.blanks.push(chunk);
    // Blanks in front of JSON keep a connection alive; a vendor sends a few of them, not thousands.
    if (first === undefined && this.blanks.length < 1_000) return undefined;
    const pipe = this.chosen(this.choose(first));
    return pipe.push(Buffer.concat(this.blanks));
  }

  end(broken: boolean): AnswerEnd {
    return this.chosen('json').end(broken);
  }

  takeText(): DeliveredText {
    return this.pipe?.takeText() ?? emptyText();
  }

  takeReport(): Usage | undefined {
    return this.pipe?.takeReport?.();
  }
}

/** `data:`, `event:`, `id:`, `retry:` or a comment. */
const eventsOrJson = (byte: number | undefined): BodyKind =>
  byte !== undefined && ':deir'.includes(String.fromCharCode(byte)) ? 'stream' : 'json';
