import { type AnswerEnd, type AnswerPipe, type DeliveredText, refuse } from '../types/index.ts';
import { emptyText } from './text-tap.ts';

/**
 * The last bytes of an answer that wait for the settlement: a fraction of a second of sound, a line or two of
 * subtitles.
 */
const heldBytes = 1_024;

/** Passes an answer that is neither events nor JSON, byte for byte: sound, subtitles, plain text. */
export class BytesPass implements AnswerPipe {
  readonly contentType: string;
  readonly failed = false;
  isEmpty = true;
  private held: Buffer = Buffer.alloc(0);

  constructor(contentType: string) {
    this.contentType = contentType === '' ? 'application/octet-stream' : contentType;
  }

  push(chunk: Buffer): Buffer | undefined {
    const all = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
    if (chunk.length > 0) this.isEmpty = false;
    const cut = Math.max(0, all.length - heldBytes);
    this.held = all.subarray(cut);
    return cut > 0 ? all.subarray(0, cut) : undefined;
  }

  end(broken: boolean): AnswerEnd {
    const { held: tail } = this;
    this.held = Buffer.alloc(0);
    const nothing = { tail: undefined, usage: undefined, error: undefined };
    if (broken) return { ...nothing, outcome: 'truncated' };
    // If any bytes were passed, the last ones are still held back.
    if (tail.length > 0) return { ...nothing, outcome: 'complete', tail };
    return { ...nothing, outcome: 'error', error: refuse('answer_empty') };
  }

  takeText(): DeliveredText {
    return emptyText();
  }
}
