import type { CountTexts } from './token-counter.ts';

/** Characters of one text that are counted: a context window of a million tokens is counted completely. */
export const maxCountedLength = 1_000_000;

/**
 * Counts like `counter`, except text beyond the limit: instead of an extrapolation, its bytes are used, because every
 * token has at least one. Sizes holds; never bills.
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

/** End position of the counted text: never inside a surrogate pair. */
function countedEnd(text: string): number {
  if (text.length <= maxCountedLength) return text.length;
  const unit = text.charCodeAt(maxCountedLength);
  return unit >= 0xdc00 && unit <= 0xdfff ? maxCountedLength - 1 : maxCountedLength;
}
