import type { Part } from '../../types/index.ts';
import { markSignature, readSignature } from '../../conversation/index.ts';

type Thoughts = Extract<Part, { type: 'reasoning' }>;
type SignedThoughts = Pick<Thoughts, 'signature' | 'redacted' | 'signer'>;

/** Marks reasoning that another vendor hid completely: this protocol has one field for both. */
const hidden = 'redacted:';

/** The proof or encryption of reasoning as `encrypted_content`; undefined for reasoning without one. */
export function encryptedContent({ signature, redacted, signer }: SignedThoughts): string | undefined {
  if (redacted !== undefined) return markSignature(hidden + redacted, signer, 'openai-responses');
  return signature === undefined ? undefined : markSignature(signature, signer, 'openai-responses');
}

/** Reads an `encrypted_content` that a caller sent back. */
export function readEncrypted(content: string): SignedThoughts {
  const { signature, signer } = readSignature(content, 'openai-responses');
  if (signer === 'openai-responses' || !signature.startsWith(hidden)) return { signature, signer };
  return { redacted: signature.slice(hidden.length), signer };
}
