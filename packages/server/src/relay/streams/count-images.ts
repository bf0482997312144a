import type { AnswerEnd, AnswerPipe } from '../types/index.ts';
import { WrappedPipe } from './wrapped-pipe.ts';

/** Number of images in a piece of an answer; `before` is the end of the previous piece. */
const countIn = (chunk: Buffer, key: Buffer, before: Buffer): number => {
  const reach = key.length - 1;
  const overlap = Buffer.concat([before.subarray(-reach), chunk.subarray(0, reach)]);
  let count = overlap.includes(key) ? 1 : 0;
  for (let at = chunk.indexOf(key); at >= 0; at = chunk.indexOf(key, at + key.length)) count += 1;
  return count;
};

/**
 * Counts the images of a whole answer by their keys while its bytes arrive: answers of many MB are neither parsed nor
 * stored for this. Quotes inside JSON strings are escaped, so a quoted key is a key. A converted answer is counted at
 * its end.
 */
export class CountImages extends WrappedPipe {
  private readonly keys: readonly Buffer[];
  private readonly isRewritten: boolean;
  private readonly found: number[];
  /** The length of a piece's end that may contain the start of a key. */
  private readonly reach: number;
  private before = Buffer.alloc(0);

  /** Each image has one of these keys, or several, with null for all but one. */
  constructor(pipe: AnswerPipe, keys: readonly string[], isRewritten = false) {
    super(pipe);
    this.keys = keys.map((key) => Buffer.from(`"${key}"`));
    this.found = keys.map(() => 0);
    this.reach = Math.max(...this.keys.map((key) => key.length)) - 1;
    this.isRewritten = isRewritten;
  }

  override push(chunk: Buffer): Buffer | undefined {
    if (!this.isRewritten) this.count(chunk);
    return super.push(chunk);
  }

  private count(chunk: Buffer): void {
    for (const [index, key] of this.keys.entries()) this.found[index]! += countIn(chunk, key, this.before);
    this.before = Buffer.concat([this.before, chunk.subarray(-this.reach)]).subarray(-this.reach);
  }

  protected override changeEnd(end: AnswerEnd): AnswerEnd {
    if (this.isRewritten && end.tail) this.count(end.tail);
    return { ...end, images: Math.max(...this.found) };
  }
}
