import { maxCountedLength } from './count-at-most.ts';

/** A longer piece is cut: merging one unbroken run costs the square of its length (200,000 letters take 24 s). */
const maxPieceLength = 1_000;
/** Runs without a break that are longer than this are cut finer, at the price of one token in a hundred letters. */
const runLength = 100;
const longRun = /\p{L}{128}|[^\s\p{L}\p{N}]{128}|\s{128}/u;
/** Letters counted in one turn of the loop, so that a large text does not make all others wait. */
const turnLength = 20_000;

/** As much of a tokenizer as counting takes. */
export interface Tokenizer {
  countTokens(text: string, options: { disallowedSpecial: Set<string> }): number;
}

/** Marks such as `<|endoftext|>` are text like any other when a person writes them. */
const asText = { disallowedSpecial: new Set<string>() };

/** Tokens of a text, counted piece by piece, with a pause after each turn. What is not counted is taken to be like the rest. */
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
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  }
  return end === text.length ? tokens : Math.ceil((tokens * text.length) / end);
}

/** Where a piece that begins at `at` may end: before a blank where there is one, never inside a surrogate pair. */
function pieceEnd(text: string, at: number, end: number): number {
  const limit = at + maxPieceLength;
  if (limit >= end) return end;
  // A blank belongs to the word behind it, so the piece ends before the blank.
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
