import { createHash, timingSafeEqual } from 'node:crypto';

/** SHA-256 in lower-case hex. Keys and session ids are random and long, so a plain hash is enough to look them up. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Compares two secrets in constant time. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}
