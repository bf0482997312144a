import type { ProtocolId } from '../types/index.ts';

/**
 * Signatures of thoughts prove them to the vendor who signed, and to nobody else; yet a caller must carry them in the
 * one field that its protocol has. One of another vendor is therefore marked with the protocol of its signer, so that
 * it is known again when it comes back, and never shown to a vendor who did not make it.
 */
const mark = /^~([a-z-]+)~/;

/** A signature as `own` callers see it. */
export const markSignature = (signature: string, signer: ProtocolId | undefined, own: ProtocolId): string =>
  signer === undefined || signer === own ? signature : `~${signer}~${signature}`;

/** Who made a signature that came in a request of `own` protocol. */
export function readSignature(text: string, own: ProtocolId): { signature: string; signer: ProtocolId } {
  const found = mark.exec(text);
  if (!found) return { signature: text, signer: own };
  return { signature: text.slice(found[0].length), signer: found[1] as ProtocolId };
}
