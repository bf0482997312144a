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
  /** Set if it is a token for Gemini Live. */
  live?: LiveGrant;
}

/** Terms of a token for Gemini Live. Times are Unix seconds. */
interface LiveGrant {
  /** No session begins from then on. */
  beginsBefore: number;
  /** No response begins from then on. */
  end: number;
  /** Fields of the setup that the token fixes, as paths (`generationConfig.temperature`); null for all of the setup. */
  fields: string[] | null;
}

/** Short-lived secrets with which browsers open realtime sessions of a key, for all processes of a site. */
export interface SessionSecrets {
  /** A new secret of a user for so many seconds; undefined if the user has too many. */
  make(
    userId: number,
    grant: SessionGrant,
    ttl: number,
    /** Sessions that it opens; 0 for any number. */
    uses?: number,
  ): Promise<{ secret: string; end: number } | undefined>;
  /** What a secret was made for; undefined for an unknown or expired one. */
  find(secret: string): Promise<SessionGrant | undefined>;
  /** Counts one more session; false if the secret opens no more. */
  use(secret: string): Promise<boolean>;
}

/** Most secrets of a user at once. */
export const maxSessionSecrets = 10_000;

const kind = 'session-secret';
/** Prefixes of OpenAI's and Google's secrets, by which their clients know them. */
const start = 'ek_';
const liveStart = 'auth_tokens/';
/** Attempts to count a use while others are counted. */
const maxTries = 20;

/** The session secret in a credential; undefined for any other credential. */
export function sessionSecretIn(credential: string): string | undefined {
  const text = credential.replace(/^\s*(?:bearer|token)\s+/i, '').trim();
  return text.startsWith(start) || text.startsWith(liveStart) ? text : undefined;
}

export function createSessionSecrets({ db, clock }: { db: Db; clock: Clock }): SessionSecrets {
  // Instructions are stored so that only the secret opens them; its hash alone is stored.
  const sealerOf = (secret: string) => createSealer(Buffer.from(secret));
  const placeOf = (name: string) => ({ column: 'vendor_objects.body', row: name });
  return {
    async make(userId, grant, ttl, uses = 0) {
      const now = seconds(clock);
      const { objects } = await rows.sizeOf(db, userId, [kind], now);
      if (objects >= maxSessionSecrets) return undefined;
      const secret = `${grant.live ? liveStart : start}${randomText(48)}`;
      const name = sha256(secret);
      await rows.create(db, {
        name,
        user_id: userId,
        kind,
        purpose: uses === 0 ? '' : String(uses),
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
    async use(secret) {
      const name = sha256(secret);
      for (let tries = 0; tries < maxTries; tries += 1) {
        const [row] = await rows.named(db, [name], seconds(clock));
        if (row?.kind !== kind || row.purpose === '0') return false;
        if (row.purpose === '') return true;
        const left = String(Number(row.purpose) - 1);
        if (await rows.changePurpose(db, name, row.purpose, left)) return true;
      }
      return false;
    },
  };
}
