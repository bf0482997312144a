import { useQuery } from '@tanstack/react-query';
import { siteAddress } from '../../lib/address.ts';
import { useStatus } from '../../lib/api/status.ts';
import { numberParam } from '../../shared/url-state/params.ts';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { chatLinksOf, targetOf, type ChatLink, type Target } from './links.ts';
import { chatLinksQuery, keyQuery } from './queries.ts';

/** The token with the key to pass on: `/chat/0?token=7`. */
const search = { token: numberParam(0) };

/** The target of a chat link, or what is missing. */
export type ChatState =
  | { kind: 'loading' }
  | { kind: 'error'; error: Error; retry: () => void }
  | { kind: 'no-links' }
  | { kind: 'no-such-link' }
  | { kind: 'choose'; links: readonly ChatLink[] }
  | { kind: 'no-token' }
  | { kind: 'hash-only' }
  | { kind: 'open'; link: ChatLink; target: Target; address: string; key: string };

/** Chooses among the links; returns nothing to let the user choose. */
export type ChooseLink = (links: readonly ChatLink[]) => ChatLink | undefined | 'ask';

/** Combines the links of this site with the key of the token in the address, or of the first enabled one. */
export function useChatTarget(choose: ChooseLink): ChatState {
  const [{ token }] = useUrlState(search);
  const address = siteAddress(useStatus());
  const chats = useQuery(chatLinksQuery);
  const links = chatLinksOf(chats.data ?? []);
  const chosen = choose(links);
  const link = chosen === 'ask' ? undefined : chosen;
  // The key is fetched only if there is a valid target.
  const key = useQuery({ ...keyQuery(token), enabled: chats.isFetchedAfterMount && link !== undefined });

  if (chats.error) return { kind: 'error', error: chats.error, retry: () => void chats.refetch() };
  if (!chats.isFetchedAfterMount || !chats.data) return { kind: 'loading' };
  if (links.length === 0) return { kind: 'no-links' };
  if (chosen === 'ask') return { kind: 'choose', links };
  if (!link) return { kind: 'no-such-link' };
  if (key.error) return { kind: 'error', error: key.error, retry: () => void key.refetch() };
  if (!key.data || !key.isFetchedAfterMount) return { kind: 'loading' };
  if (key.data.kind !== 'key') return key.data;
  const filling = { address, key: key.data.key };
  return { kind: 'open', link, target: targetOf(link.template, filling), ...filling };
}
