/** An error answer longer than this is read no further. */
const maxBytes = 64 * 1024;

/** The body of an upstream's error answer, as far as it is read. */
export class RefusalBody {
  private readonly chunks: Buffer[] = [];
  private size = 0;

  /** Keeps a chunk; false when there is more than anyone reads. */
  add(chunk: Buffer): boolean {
    this.size += chunk.length;
    this.chunks.push(chunk);
    return this.size <= maxBytes;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }
}
