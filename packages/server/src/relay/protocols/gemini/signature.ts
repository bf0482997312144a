import type { ProtocolId } from '../../types/index.ts';
import { markSignature, readSignature } from '../../conversation/index.ts';

const own = 'gemini';
/** Start of the base64 of a text with a mark: a tilde and a small letter. */
const packed = /^f[mn]/;
const mark = /^~[a-z-]+~/;

/**
 * A signature for Gemini's callers. Gemini's signatures are bytes, which clients decode and encode again, some in the
 * URL alphabet, so a marked signature is base64 as a whole.
 */
export function markThoughtSignature(signature: string, signer: ProtocolId | undefined): string {
  const marked = markSignature(signature, signer, own);
  return marked === signature ? signature : Buffer.from(marked).toString('base64');
}

/** The vendor of a signature that a caller of Gemini's protocol returned. */
export const readThoughtSignature = (text: string): ReturnType<typeof readSignature> =>
  readSignature(markedIn(text) ?? text, own);

/** True for a signature with a mark. */
export const isMarkedSignature = (text: string): boolean => markedIn(text) !== undefined;

function markedIn(text: string): string | undefined {
  const shown = packed.test(text) ? Buffer.from(text, 'base64').toString() : text;
  return mark.test(shown) ? shown : undefined;
}
