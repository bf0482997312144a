import type { CountTexts } from './token-counter.ts';

/** Letters of one text that are counted: a context window of a million is counted whole. */
export const maxCountedLength = 1_000_000;

/**
 * Counts as `counter` does, but for what lies beyond the letters that are counted: that is not taken to be like the rest,
 * but by its bytes, of which no token has less than one. Bounds holds; never bills.
 */
export const countAtMost = (counter: CountTexts): CountTexts => ({
  async count(texts, encoding) {
    const ends = texts.map(countedEnd);
    const counted = await counter.count(
      texts.map((text, index) => text.slice(0, ends[index])),
      encoding,
    );
    return texts.reduce((sum, text, index) => sum + Buffer.byteLength(text.slice(ends[index])), counted);
  },
});

/** Where counting ends: never inside a surrogate pair. */
function countedEnd(text: string): number {
  if (text.length <= maxCountedLength) return text.length;
  const unit = text.charCodeAt(maxCountedLength);
  return unit >= 0xdc00 && unit <= 0xdfff ? maxCountedLength - 1 : maxCountedLength;
}
