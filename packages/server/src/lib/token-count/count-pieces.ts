import { maxCountedLength } from './count-at-most.ts';

/** Longer pieces are split: merging one unbroken run takes quadratic time (200,000 characters take 24 s). */
const maxPieceLength = 1_000;
/** Longer runs without a break are split into smaller pieces, which adds about one token per hundred characters. */
const runLength = 100;
const longRun = /\p{L}{128}|[^\s\p{L}\p{N}]{128}|\s{128}/u;
/** Characters counted in one turn of the event loop, so that a large text does not block it. */
const turnLength = 20_000;

/** The parts of a tokenizer that counting needs. */
export interface Tokenizer {
  countTokens(text: string, options: { disallowedSpecial: Set<string> }): number;
}

/** Marks such as `<|endoftext|>` are ordinary text when a person writes them. */
const asText = { disallowedSpecial: new Set<string>() };

/** Tokens of a text, counted piece by piece, with a pause after each turn. Text beyond the limit is extrapolated. */
export async function countPieces(tokenizer: Tokenizer, text: string): Promise<number> {
  const end = Math.min(text.length, maxCountedLength);
  let tokens = 0;
  let turn = 0;
  for (let at = 0; at < end;) {
    const next = pieceEnd(text, at, end);
    tokens += countPiece(tokenizer, text.slice(at, next));
    turn += next - at;
    at = next;
    if (turn >= turnLength && at < end) {
      turn = 0;
      await ownTurn();
    }
  }
  return end === text.length ? tokens : Math.ceil((tokens * text.length) / end);
}

const waiting: (() => void)[] = [];

/** Resolves in a turn of the event loop without other counts, so that short texts do not wait for parts of all long ones. */
function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(takeTurn);
  });
}

function takeTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(takeTurn);
}

/** The end of a piece that starts at `at`: before a space if there is one, never inside a surrogate pair. */
function pieceEnd(text: string, at: number, end: number): number {
  const limit = at + maxPieceLength;
  if (limit >= end) return end;
  // A space belongs to the word after it, so the piece ends before the space.
  const blank = text.lastIndexOf(' ', limit);
  if (blank > at + maxPieceLength / 2) return blank;
  return isLowSurrogate(text, limit) ? limit - 1 : limit;
}

function countPiece(tokenizer: Tokenizer, piece: string): number {
  if (!longRun.test(piece)) return tokenizer.countTokens(piece, asText);
  let tokens = 0;
  for (let at = 0; at < piece.length;) {
    const limit = Math.min(piece.length, at + runLength);
    const next = isLowSurrogate(piece, limit) ? limit - 1 : limit;
    tokens += tokenizer.countTokens(piece.slice(at, next), asText);
    at = next;
  }
  return tokens;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
