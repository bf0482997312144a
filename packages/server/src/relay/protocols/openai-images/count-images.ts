import type { AnswerEnd, AnswerPipe, DeliveredText } from '../../model/protocol.ts';

/** Each image of an answer has one of these, or both of which one is null. */
const keys = ['"b64_json"', '"url"'].map((key) => Buffer.from(key));

/**
 * Counts the images in a whole answer as its bytes come, by the keys under which they stand: answers of many MB are
 * neither parsed nor kept for it. In JSON a quote inside a string is escaped, so a key in its quotes is a key.
 */
export class CountImages implements AnswerPipe {
  private readonly pipe: AnswerPipe;
  private readonly found = keys.map(() => 0);
  /** The end of what came, for a key that lies across the cut. */
  private rest = Buffer.alloc(0);

  constructor(pipe: AnswerPipe) {
    this.pipe = pipe;
  }

  get contentType(): string {
    return this.pipe.contentType;
  }

  get failed(): boolean {
    return this.pipe.failed;
  }

  push(chunk: Buffer): Buffer | undefined {
    for (const [index, key] of keys.entries()) this.found[index]! += this.countIn(chunk, key);
    const longest = Math.max(...keys.map((key) => key.length)) - 1;
    this.rest = Buffer.from(Buffer.concat([this.rest, chunk.subarray(-longest)]).subarray(-longest));
    return this.pipe.push(chunk);
  }

  private countIn(chunk: Buffer, key: Buffer): number {
    const reach = key.length - 1;
    const seam = Buffer.concat([this.rest.subarray(-reach), chunk.subarray(0, reach)]);
    let count = seam.includes(key) ? 1 : 0;
    for (let at = chunk.indexOf(key); at >= 0; at = chunk.indexOf(key, at + key.length)) count += 1;
    return count;
  }

  end(broken: boolean): AnswerEnd {
    return { ...this.pipe.end(broken), images: Math.max(...this.found) };
  }

  takeText(): DeliveredText {
    return this.pipe.takeText();
  }
}
