import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Secrets at rest: AES-256-GCM, text form `v1.<nonce>.<tag>.<cipher>` in base64url.
 * The context (`channels.key`, `options.EpayKey`) is authenticated with it, so that a sealed value
 * copied into another column or row kind does not open.
 */
export interface Sealer {
  seal(plain: string, context: string): string;
  /** Throws when the text was not sealed with this key for this context. */
  open(sealed: string, context: string): string;
}

/** A sealer for one master key (32 bytes or more of secret). */
export function createSealer(masterKey: Buffer): Sealer {
  const key = Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), 'tollgate seal v1', 32));
  return {
    seal(plain, context) {
      if (plain === '') return '';
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      cipher.setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return ['v1', nonce, cipher.getAuthTag(), body]
        .map((part) => (typeof part === 'string' ? part : part.toString('base64url')))
        .join('.');
    },
    open(sealed, context) {
      if (sealed === '') return '';
      const [version, nonce, tag, body] = sealed.split('.');
      if (version !== 'v1' || nonce === undefined || tag === undefined || body === undefined) {
        throw new Error('not a sealed text');
      }
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), {
        authTagLength: 16,
      });
      decipher.setAAD(Buffer.from(context));
      decipher.setAuthTag(Buffer.from(tag, 'base64url'));
      return Buffer.concat([decipher.update(Buffer.from(body, 'base64url')), decipher.final()]).toString(
        'utf8',
      );
    },
  };
}
