/** Most bytes kept before the first content: those of a vendor are a few hundred. */
const maxBytes = 64 * 1024;
/** How long they are kept: comments that a vendor sends while a model thinks keep the caller's connection open. */
const maxMs = 5_000;

/**
 * What an upstream sends before the first content of an answer: a role, an id, comments. It is kept until then, so that
 * an upstream that sends nothing else has delivered nothing.
 */
export class AnswerPreamble {
  private pieces: Buffer[] | undefined;
  private bytes = 0;

  /** Keeps a piece that arrived `ms` after the first one; false when nothing is kept any more. */
  keep(piece: Buffer, ms: number): boolean {
    if (ms > maxMs || this.bytes + piece.length > maxBytes) return false;
    this.bytes += piece.length;
    (this.pieces ??= []).push(piece);
    return true;
  }

  /** What was kept, followed by `piece`. */
  takeWith(piece: Buffer): Buffer {
    const { pieces } = this;
    if (!pieces) return piece;
    this.pieces = undefined;
    return Buffer.concat([...pieces, piece]);
  }
}
