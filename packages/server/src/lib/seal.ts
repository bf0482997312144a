import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Where a sealed text lies: it opens nowhere else. */
export interface SealPlace {
  /** Table and column, and the field of one that holds JSON: `users.setting.webhook_secret`. */
  column: string;
  /** What names the row and never changes. */
  row: string | number;
}

/**
 * Secrets at rest: AES-256-GCM, text form `v2.<nonce>.<tag>.<cipher>` in base64url. The place is authenticated with it,
 * so that a sealed value copied into another column or another row does not open.
 */
export interface Sealer {
  /** '' stays ''. */
  seal(plain: string, place: SealPlace): string;
  /** Throws when the text was not sealed with this key for this place. */
  open(sealed: string, place: SealPlace): string;
  /** Seals a text of the former form, which knew its column only, for its row. Throws as `open` does. */
  renew(former: string, formerContext: string, place: SealPlace): string;
}

/** How sealed texts of the former form begin. */
export const formerSealStart = 'v1.';

/** True for texts of the shape of a sealed one, of whichever form. */
export const looksSealed = (text: string): boolean => /^v[12](\.[\w-]*){3}$/.test(text);

const placeText = ({ column, row }: SealPlace): string => JSON.stringify([column, String(row)]);

/**
 * A sealer for one master key (32 bytes or more of secret). While that key is being changed for another, `former` is
 * the one before: what it sealed opens too, and everything is sealed with the current one.
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
