const LF = 0x0a;
const CR = 0x0d;

/** Finds blank lines byte by byte; a single CR is a line end too. */
export class CrSplit {
  private lineIsEmpty = true;
  private afterCr = false;
  /** A blank line ended with CR; the next byte shows whether an LF belongs to it. */
  private cutDue = false;

  /**
   * Position after the last blank line that this chunk completes (0: that of an earlier chunk), -1 if there is none.
   */
  cutAt(chunk: Buffer): number {
    let end = -1;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      const closesCr = this.afterCr && byte === LF;
      if (this.cutDue) end = closesCr ? at + 1 : at;
      this.cutDue = false;
      this.afterCr = byte === CR;
      if (closesCr) continue;
      if (byte === CR) this.cutDue = this.lineIsEmpty;
      else if (byte === LF && this.lineIsEmpty) end = at + 1;
      this.lineIsEmpty = byte === CR || byte === LF;
    }
    return end;
  }
}
