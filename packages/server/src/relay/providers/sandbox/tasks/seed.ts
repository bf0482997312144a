import { createHash } from 'node:crypto';

/** A number for a text: the same for the same text, below 2^32. */
export const seedOf = (...words: readonly (string | number)[]): number =>
  createHash('sha256').update(words.join('\n')).digest().readUInt32BE(0);
