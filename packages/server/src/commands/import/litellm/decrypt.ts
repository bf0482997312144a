import { createHash, hkdfSync } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa';
import { openAesGcm } from '../kit/aes-gcm.ts';

const nonceBytes = 24;

/**
 * The text of a value that LiteLLM has encrypted under its salt key, or under its master key if it has no salt key:
 * AES-GCM if the value says so, otherwise XSalsa20-Poly1305. Throws for another key, without the value.
 */
export function decryptValue(value: string, secret: string): string {
  const version = /^(v[23]):gcm:/.exec(value)?.[1];
  const bytes = Buffer.from(version ? value.slice('v2:gcm:'.length) : value, 'base64url');
  if (bytes.length === 0) return '';
  try {
    if (version) return openAesGcm(bytes, version === 'v3' ? stretched(secret) : digest(secret));
    const box = xsalsa20poly1305(digest(secret), bytes.subarray(0, nonceBytes));
    return Buffer.from(box.decrypt(bytes.subarray(nonceBytes))).toString('utf8');
  } catch {
    throw new Error('the value is encrypted under another key');
  }
}

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();

const stretched = (secret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', 'litellm-at-rest-v3', 32));
