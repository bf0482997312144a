/** So much is kept before the answer has told anything: a vendor's frame has a few hundred bytes. */
const maxBytes = 64 * 1024;
/** So long it is kept: a vendor that says with comments that it goes on thinking keeps the caller's connection open. */
const maxMs = 5_000;

/**
 * What an upstream sends around an answer before it tells anything of it: a role, an id, comments. It waits for the first
 * content, so that an upstream that sends nothing else has delivered nothing.
 */
export class KeptFrame {
  private pieces: Buffer[] | undefined;
  private bytes = 0;

  /** Keeps a piece that came `ms` after the first one; false when nothing is kept any more. */
  keep(piece: Buffer, ms: number): boolean {
    if (ms > maxMs || this.bytes + piece.length > maxBytes) return false;
    this.bytes += piece.length;
    (this.pieces ??= []).push(piece);
    return true;
  }

  /** What was kept, and the piece behind it. */
  takeWith(piece: Buffer): Buffer {
    const { pieces } = this;
    if (!pieces) return piece;
    this.pieces = undefined;
    return Buffer.concat([...pieces, piece]);
  }
}
