import type { Usage } from '@tollgate/contract';
import type { AnswerEnd, AnswerPipe, BodyKind, DeliveredText } from '../types/index.ts';
import { firstByte } from './json-pass.ts';
import { emptyText } from './text-tap.ts';

/** The format in a Content-Type; undefined if it is neither. */
export function kindOf(contentType: string): BodyKind | undefined {
  if (contentType.includes('event-stream')) return 'stream';
  return contentType.includes('json') ? 'json' : undefined;
}

const anything = [Buffer.from(':')];

/** Waits for the first byte, which distinguishes events from JSON, if the vendor's Content-Type does not. */
export class SniffPipe implements AnswerPipe {
  private readonly open: (kind: BodyKind) => AnswerPipe;
  private readonly choose: (first: number | undefined) => BodyKind;
  private pipe: AnswerPipe | undefined;
  private blanks: Buffer[] = [];

  /** `choose` selects a pipe by the first byte; undefined for an answer of white space only. */
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
    // The format is not known yet: its first events are read one by one.
    return this.pipe ? this.pipe.mediaMarks : anything;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.pipe) return this.pipe.push(chunk);
    const first = firstByte(chunk);
    this.blanks.push(chunk);
    // White space before JSON keeps a connection alive; a vendor sends little of it.
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
