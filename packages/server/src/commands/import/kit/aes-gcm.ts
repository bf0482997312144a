import { createDecipheriv } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;

/** The text in nonce, AES-256-GCM ciphertext and tag, as Python's and Go's programs store them. Throws for another key. */
export function openAesGcm(bytes: Buffer, key: Buffer): string {
  const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  cipher.setAuthTag(bytes.subarray(-tagBytes));
  const parts = [cipher.update(bytes.subarray(nonceBytes, -tagBytes)), cipher.final()];
  return Buffer.concat(parts).toString('utf8');
}
