import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** The location of a sealed (encrypted) text: it can be decrypted only for the same place. */
export interface SealPlace {
  /** Table and column, and the field of a JSON column: `users.setting.webhook_secret`. */
  column: string;
  /** An identifier of the row that never changes. */
  row: string | number;
}

/**
 * Encryption of stored secrets: AES-256-GCM, text form `v2.<nonce>.<tag>.<cipher>` in base64url. The place is
 * authenticated with it, so that a sealed value that is copied to another column or row cannot be decrypted.
 */
export interface Sealer {
  /** '' stays ''. */
  seal(plain: string, place: SealPlace): string;
  /** Throws if the text was not sealed with this key for this place. */
  open(sealed: string, place: SealPlace): string;
  /** Seals a text of the former form, which was bound to its column only, for its row. Throws like `open`. */
  renew(former: string, formerContext: string, place: SealPlace): string;
}

/** Prefix of sealed texts of the former form. */
export const formerSealStart = 'v1.';

/** True for texts with the format of a sealed one, of either form. */
export const looksSealed = (text: string): boolean => /^v[12](\.[\w-]*){3}$/.test(text);

const placeText = ({ column, row }: SealPlace): string => JSON.stringify([column, String(row)]);

/**
 * A sealer for one master key (32 bytes or more of secret). During a rotation, `former` is the previous key: texts
 * sealed with it can be decrypted too, and all new ones are sealed with the current key.
 */
export function createSealer(masterKey: Buffer, former?: Buffer): Sealer {
  const current = sealerOf(masterKey);
  if (!former) return current;
  const before = sealerOf(former);
  const either = (open: (sealer: Sealer) => string): string => {
    try {
      return open(current);
    } catch {
      return open(before);
    }
  };
  return {
    seal: (plain, place) => current.seal(plain, place),
    open: (sealed, place) => either((sealer) => sealer.open(sealed, place)),
    renew(text, context, place) {
      const renewed = either((sealer) => sealer.renew(text, context, place));
      return current.seal(
        either((sealer) => sealer.open(renewed, place)),
        place,
      );
    },
  };
}

function sealerOf(masterKey: Buffer): Sealer {
  const key = Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), 'tollgate seal v1', 32));

  const seal = (plain: string, place: SealPlace): string => {
    if (plain === '') return '';
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    cipher.setAAD(Buffer.from(placeText(place)));
    const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return ['v2', ...[nonce, cipher.getAuthTag(), body].map((part) => part.toString('base64url'))].join('.');
  };

  const open = (sealed: string, form: 'v1' | 'v2', context: string): string => {
    if (sealed === '') return '';
    const [version, nonce, tag, body] = sealed.split('.');
    if (version !== form || nonce === undefined || tag === undefined || body === undefined) {
      throw new Error('not a sealed text');
    }
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), {
      authTagLength: 16,
    });
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(Buffer.from(tag, 'base64url'));
    const plain = [decipher.update(Buffer.from(body, 'base64url')), decipher.final()];
    return Buffer.concat(plain).toString('utf8');
  };

  return {
    seal,
    open: (sealed, place) => open(sealed, 'v2', placeText(place)),
    renew: (former, formerContext, place) => seal(open(former, 'v1', formerContext), place),
  };
}
