import { tokenApi, tokenStatus, type TokenData } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';
import { statusQuery } from '../../lib/api/status.ts';

/** The key for a chat application, or the reason why there is none. */
export type KeyState = { kind: 'key'; key: string } | { kind: 'no-token' } | { kind: 'hash-only' };

/** Number of tokens checked: the first enabled one is almost always the first. */
const pageSize = 100;

const isUsable = (token: TokenData): boolean =>
  token.status === tokenStatus.enabled && (token.expired_time < 0 || token.expired_time > Date.now() / 1000);

/** The requested token if it is usable, otherwise the first usable one. */
async function usableToken(asked: number, signal: AbortSignal): Promise<TokenData | undefined> {
  const tokens = await call(tokenApi.list, { p: 0, size: pageSize }, { signal });
  const usable = tokens.filter(isUsable);
  return usable.find(({ id }) => id === asked) ?? usable[0];
}

async function readKey(asked: number, signal: AbortSignal): Promise<KeyState> {
  const token = await usableToken(asked, signal);
  if (!token) return { kind: 'no-token' };
  const { key } = await call(tokenApi.get, { id: token.id }, { signal });
  // A shortened key has dots or stars: the site stores only hashes.
  return /[…*]/.test(key) ? { kind: 'hash-only' } : { kind: 'key', key: `sk-${key}` };
}

/**
 * The key of the requested token or of the first enabled one. It is fetched for each visit and not stored.
 *
 * @param asked - id of a token, 0 for none in particular
 */
export const keyQuery = (asked: number) =>
  queryOptions({
    queryKey: ['chat', 'key', asked],
    queryFn: ({ signal }) => readKey(asked, signal),
    staleTime: 0,
    gcTime: 0,
  });

/**
 * The links from the server. The copy in local storage is not used: a script that could write there would otherwise
 * choose the receiver of the key.
 */
export const chatLinksQuery = queryOptions({
  queryKey: ['chat', 'links'],
  queryFn: async ({ client }) => (await client.fetchQuery({ ...statusQuery, staleTime: 0 })).chats,
  staleTime: 0,
});
