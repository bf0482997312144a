import { keptLanguage } from '../../../lib/kept-language.ts';
import { sha256 } from '../../../lib/hash.ts';
import { randomText } from '../../../lib/random.ts';
import { type Db, users } from '../../../store/index.ts';
import { actorOf } from './actor.ts';
import type { Identity } from './types.ts';

/** Characters of a system access token; the original has 28 to 32. */
const tokenLength = 32;

/**
 * Creates a user's system access token and returns it. It is shown only this once, because only its hash is stored.
 */
export async function renewAccessToken(db: Db, userId: number): Promise<string> {
  const token = randomText(tokenLength);
  await users.update(db, userId, { access_token_hash: sha256(token) });
  return token;
}

/** The present owner of a system access token; null for an unknown one. */
export async function findByAccessToken(db: Db, token: string): Promise<Identity | null> {
  const user = await users.findByAccessToken(db, sha256(token));
  if (!user) return null;
  return {
    actor: actorOf(user),
    credential: { kind: 'access-token' },
    language: keptLanguage(user.setting),
  };
}
