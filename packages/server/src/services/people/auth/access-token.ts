import {
  type AccessTokenData,
  type AccessTokenScope,
  AppError,
  type Language,
  maxAccessTokens,
} from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { keptLanguage } from '../../../lib/accept-language.ts';
import { sha256 } from '../../../lib/hash.ts';
import { randomText } from '../../../lib/random.ts';
import { accessTokens, type Db, inTransaction, users } from '../../../store/index.ts';
import type { Audit } from '../../site/audit/index.ts';
import { actorOf } from './sessions.ts';
import type { Identity } from './types.ts';

/** Characters of a system access token; the original has 28 to 32. */
const tokenLength = 32;
/** Minimum interval between two writes of the last use. */
const noteEverySeconds = 60;

export interface AccessTokenDeps {
  db: Db;
  audit: Pick<Audit, 'record'>;
  /** Notifies the owner by mail of a new token; without an address ('') no mail is sent. */
  announceToken(email: string, name: string, language: Language): void;
  clock: Clock;
}

/** Scope and lifetime of a new token: `days` is 0 for one that does not expire. */
export interface NewAccessToken {
  name: string;
  scope: AccessTokenScope;
  days: number;
}

/**
 * Creates or replaces the one token of a user without a name, and returns it. It is shown only once, because only its
 * hash is stored.
 */
export async function renewAccessToken(
  deps: AccessTokenDeps,
  userId: number,
  language: Language,
): Promise<string> {
  const token = randomText(tokenLength);
  await users.update(deps.db, userId, { access_token_hash: sha256(token) });
  await announce(deps, userId, 'GET /api/user/token', language);
  return token;
}

/** Creates a named token; it is shown only once. Throws `access_token_limit`. */
export async function createAccessToken(
  deps: AccessTokenDeps,
  userId: number,
  { name, scope, days }: NewAccessToken,
  language: Language,
): Promise<AccessTokenData & { token: string }> {
  const token = randomText(tokenLength);
  const now = seconds(deps.clock);
  const expires_time = days === 0 ? 0 : now + days * 86_400;
  const shown = { name, scope, created_time: now, used_time: 0, expires_time };
  const id = await inTransaction(deps.db, async (trx) => {
    if ((await accessTokens.list(trx, userId)).length >= maxAccessTokens)
      throw new AppError('access_token_limit', { max: maxAccessTokens });
    await deps.audit.record(trx, { userId, note: { name, scope, days } });
    return accessTokens.create(trx, { ...shown, user_id: userId, token_hash: sha256(token) });
  });
  await announce(deps, userId, name, language);
  return { id, ...shown, token };
}

/** `language` is the caller's, for owners with an account without a language. */
async function announce(
  deps: AccessTokenDeps,
  userId: number,
  name: string,
  language: Language,
): Promise<void> {
  const user = await users.find(deps.db, userId);
  if (user) deps.announceToken(user.email, name, keptLanguage(user.setting) ?? language);
}

/** A user's tokens; the one without a name has id 0. */
export async function listAccessTokens(
  { db }: Pick<AccessTokenDeps, 'db'>,
  userId: number,
): Promise<AccessTokenData[]> {
  const user = await users.find(db, userId);
  const unnamed = { id: 0, name: '', scope: 'all', created_time: 0, used_time: 0, expires_time: 0 } as const;
  const named = await accessTokens.list(db, userId);
  return user && user.access_token_hash !== null ? [...named, unnamed] : named;
}

/** Revokes a token. Throws `row_not_found`. */
export async function endAccessToken(
  { db, audit }: Pick<AccessTokenDeps, 'db' | 'audit'>,
  userId: number,
  id: number,
): Promise<void> {
  const token = (await listAccessTokens({ db }, userId)).find((each) => each.id === id);
  if (!token) throw new AppError('row_not_found');
  await inTransaction(db, async (trx) => {
    if (id === 0) await users.update(trx, userId, { access_token_hash: null });
    else await accessTokens.remove(trx, { id, user_id: userId });
    await audit.record(trx, { userId, note: { name: token.name } });
  });
}

/** The present owner of a system access token; null for an unknown or expired one. */
export async function findByAccessToken(
  { db, clock }: Pick<AccessTokenDeps, 'db' | 'clock'>,
  token: string,
): Promise<Identity | null> {
  const hash = sha256(token);
  const row = await accessTokens.find(db, hash);
  const now = seconds(clock);
  if (row && row.expires_time !== 0 && row.expires_time <= now) return null;
  const user = row ? await users.find(db, row.user_id) : await users.findByAccessToken(db, hash);
  if (!user) return null;
  if (row && now - row.used_time >= noteEverySeconds) await accessTokens.touch(db, row.id, now);
  return {
    actor: actorOf(user),
    credential: { kind: 'access-token', scope: row?.scope ?? 'all' },
    language: keptLanguage(user.setting),
  };
}
