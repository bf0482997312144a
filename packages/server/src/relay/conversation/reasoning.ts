import type { ProtocolId } from '../types/index.ts';

/**
 * A signature of reasoning is valid only for the vendor that made it, but a caller's protocol has one field for it. So a
 * signature of another vendor is marked with the signer's protocol, and is sent only to that vendor.
 */
const mark = /^~([a-z-]+)~/;

/** A signature as `own` callers see it. */
export const markSignature = (signature: string, signer: ProtocolId | undefined, own: ProtocolId): string =>
  signer === undefined || signer === own ? signature : `~${signer}~${signature}`;

/** The vendor of a signature in a request of `own` protocol. */
export function readSignature(text: string, own: ProtocolId): { signature: string; signer: ProtocolId } {
  const found = mark.exec(text);
  if (!found) return { signature: text, signer: own };
  return { signature: text.slice(found[0].length), signer: found[1] as ProtocolId };
}

/**
 * Option global.thinking_model_blacklist: models with a real name ending in `-thinking`. A listed name is never cut,
 * neither the caller's nor the one that the channel maps it to.
 */
export function keepsSuffix(
  settings: Readonly<Record<string, unknown>>,
  ...names: readonly string[]
): boolean {
  const listed = settings['global.thinking_model_blacklist'];
  return Array.isArray(listed) && names.some((name) => listed.includes(name));
}
