import { tokenApi, tokenStatus, type TokenData } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/api-client.ts';
import { statusQuery } from '../../lib/status.ts';

/** The key a chat application gets, or why there is none. */
export type KeyState = { kind: 'key'; key: string } | { kind: 'no-token' } | { kind: 'hash-only' };

/** Tokens looked at: the first enabled one is almost always the first. */
const lookedAt = 100;

const isUsable = (token: TokenData): boolean =>
  token.status === tokenStatus.enabled && (token.expired_time < 0 || token.expired_time > Date.now() / 1000);

async function firstKey(signal: AbortSignal): Promise<KeyState> {
  const tokens = await call(tokenApi.list, { p: 0, size: lookedAt }, { signal });
  const first = tokens.find(isUsable);
  if (!first) return { kind: 'no-token' };
  const { key } = await call(tokenApi.get, { id: first.id }, { signal });
  // A shortened key has dots or stars: the site keeps hashes alone.
  return /[…*]/.test(key) ? { kind: 'hash-only' } : { kind: 'key', key: `sk-${key}` };
}

/** The key of the first enabled token (specification 3, section 2); asked anew for each visit and not kept. */
export const firstKeyQuery = queryOptions({
  queryKey: ['chat', 'key'],
  queryFn: ({ signal }) => firstKey(signal),
  staleTime: 0,
  gcTime: 0,
});

/**
 * The links as the server has them now. The copy in local storage is not asked: whoever could write there would
 * otherwise choose where the key goes.
 */
export const chatLinksQuery = queryOptions({
  queryKey: ['chat', 'links'],
  queryFn: async ({ client }) => (await client.fetchQuery({ ...statusQuery, staleTime: 0 })).chats,
  staleTime: 0,
});
