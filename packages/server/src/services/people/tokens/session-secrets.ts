import { type Clock, seconds } from '../../../lib/clock.ts';
import { sha256 } from '../../../lib/hash.ts';
import { type JsonObject, parseObject } from '../../../lib/json.ts';
import { randomText } from '../../../lib/random.ts';
import { createSealer } from '../../../lib/seal.ts';
import { type Db, vendorObjects as rows } from '../../../store/index.ts';
import type { KeyMark } from './resolve.ts';

/** The content of a secret: the key that it stands for, and the configuration of its sessions. */
export interface SessionGrant {
  key: KeyMark;
  session: JsonObject;
}

/** Short-lived secrets with which browsers open realtime sessions of a key, for all processes of a site. */
export interface SessionSecrets {
  /** A new secret of a user for so many seconds; undefined if the user has too many. */
  make(
    userId: number,
    grant: SessionGrant,
    ttl: number,
  ): Promise<{ secret: string; end: number } | undefined>;
  /** What a secret was made for; undefined for an unknown or expired one. */
  find(secret: string): Promise<SessionGrant | undefined>;
}

/** Most secrets of a user at once. */
export const maxSessionSecrets = 10_000;

const kind = 'session-secret';
/** Prefix of OpenAI's secrets, by which its clients know them. */
const start = 'ek_';

/** The session secret in a credential; undefined for any other credential. */
export function sessionSecretIn(credential: string): string | undefined {
  const text = credential.replace(/^\s*bearer\s+/i, '').trim();
  return text.startsWith(start) ? text : undefined;
}

export function createSessionSecrets({ db, clock }: { db: Db; clock: Clock }): SessionSecrets {
  // Instructions are stored so that only the secret opens them; its hash alone is stored.
  const sealerOf = (secret: string) => createSealer(Buffer.from(secret));
  const placeOf = (name: string) => ({ column: 'vendor_objects.body', row: name });
  return {
    async make(userId, grant, ttl) {
      const now = seconds(clock);
      const { objects } = await rows.sizeOf(db, userId, [kind], now);
      if (objects >= maxSessionSecrets) return undefined;
      const secret = `${start}${randomText(48)}`;
      const name = sha256(secret);
      await rows.create(db, {
        name,
        user_id: userId,
        kind,
        purpose: '',
        channel_id: 0,
        key_id: '',
        bytes: 0,
        expires_at: now + ttl,
        body: sealerOf(secret).seal(JSON.stringify(grant), placeOf(name)),
      });
      return { secret, end: now + ttl };
    },
    async find(secret) {
      const name = sha256(secret);
      const [row] = await rows.named(db, [name], seconds(clock));
      if (row?.kind !== kind) return undefined;
      const grant: unknown = parseObject(sealerOf(secret).open(row.body, placeOf(name)));
      return grant as SessionGrant;
    },
  };
}
