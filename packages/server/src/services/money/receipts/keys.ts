import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Sealer, SealPlace } from '../../../lib/seal.ts';
import { type Db, type ReceiptKeyRow, receiptKeys, receipts } from '../../../store/index.ts';
import { privateKeyOf, readBody, type ReceiptJwk, thumbprint } from './document.ts';

const receiptKeyPlace = (kid: string): SealPlace => ({ column: 'receipt_keys.private_key', row: kid });

/** A key that signs. */
export interface SigningKey {
  kid: string;
  key: KeyObject;
  /** The time of a signature. After the clock was set back it stays at that of the newest receipt, or the start of the key. */
  sealed_at: number;
}

function newKey(sealer: Sealer, serial: number, createdAt: number): ReceiptKeyRow {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const kid = thumbprint(x);
  const sealed = sealer.seal(d, receiptKeyPlace(kid));
  return { serial, kid, public_key: x, private_key_sealed: sealed, created_at: createdAt };
}

/** Now, but not before the newest receipt was signed: so none is later than the end of its key. */
async function timeAfter(db: Db, now: number): Promise<number> {
  const newest = await receipts.newest(db);
  return newest ? Math.max(now, readBody(newest.body).sealed_at) : now;
}

/** The key that signs now; made at its first use. */
export async function signingKey(db: Db, sealer: Sealer, now: number): Promise<SigningKey> {
  for (;;) {
    const last = (await receiptKeys.list(db)).at(-1);
    if (last) {
      const seed = sealer.open(last.private_key_sealed, receiptKeyPlace(last.kid));
      const sealed_at = Math.max(await timeAfter(db, now), last.created_at);
      return { kid: last.kid, key: privateKeyOf(seed, last.public_key), sealed_at };
    }
    await receiptKeys.add(db, newKey(sealer, 1, now));
  }
}

/** Makes a new signing key; the former ones still verify. */
export async function rotateSigningKey(db: Db, sealer: Sealer, now: number): Promise<ReceiptKeyRow> {
  for (;;) {
    const last = (await receiptKeys.list(db)).at(-1);
    const next = newKey(
      sealer,
      (last?.serial ?? 0) + 1,
      Math.max(await timeAfter(db, now), last?.created_at ?? 0),
    );
    if (await receiptKeys.add(db, next)) return next;
  }
}

/** The public keys, the oldest first, each with the time range in which it signs. */
export async function listKeys(db: Db): Promise<ReceiptJwk[]> {
  const rows = await receiptKeys.list(db);
  return rows.map(({ kid, public_key: x, created_at: nbf }, index) => {
    const next = rows[index + 1];
    return {
      kty: 'OKP',
      crv: 'Ed25519',
      use: 'sig',
      alg: 'EdDSA',
      kid,
      x,
      nbf,
      ...(next && { exp: next.created_at }),
    };
  });
}
