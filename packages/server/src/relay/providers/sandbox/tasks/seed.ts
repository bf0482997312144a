import { createHash } from 'node:crypto';

/** A number for words: the same for the same words, below 2^32. */
export const seedOf = (...words: readonly (string | number)[]): number =>
  createHash('sha256').update(words.join('\n')).digest().readUInt32BE(0);

/** The n-th number of a seed, from 0 to below 1. */
export function chance(seed: number, n: number): number {
  const mixed = Math.imul(seed ^ Math.imul(n + 1, 0x9e3779b1), 0x85ebca6b);
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32;
}
