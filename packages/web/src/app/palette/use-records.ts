import { channelApi, tokenApi, tokenStatus, userApi } from '@tollgate/contract';
import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { KeyRound, Network, ScrollText, Settings, UserRound } from 'lucide-react';
import { call } from '../../lib/api-client.ts';
import { useSay } from '../../lib/i18n.ts';
import { mayAccess, useCurrentUser } from '../../lib/session.ts';
import { pages } from '../pages.ts';
import { isRequestId } from './match.ts';
import { text } from './text.ts';
import type { EntryGroup } from './types.ts';

/** Records of each kind shown. */
const shown = 6;

/** One letter would find everything. */
const isSearch = (query: string) => query.length >= 2;

const tokensQuery = (query: string) =>
  queryOptions({
    queryKey: ['palette', 'tokens', query],
    queryFn: isSearch(query)
      ? ({ signal }) => call(tokenApi.search, { keyword: query, token: '' }, { signal })
      : skipToken,
  });
const channelsQuery = (query: string, isAdmin: boolean) =>
  queryOptions({
    queryKey: ['palette', 'channels', query],
    queryFn:
      isAdmin && isSearch(query)
        ? ({ signal }) => call(channelApi.search, { keyword: query }, { signal })
        : skipToken,
  });
const usersQuery = (query: string, isAdmin: boolean) =>
  queryOptions({
    queryKey: ['palette', 'users', query],
    queryFn:
      isAdmin && isSearch(query)
        ? ({ signal }) => call(userApi.search, { keyword: query, p: 1, page_size: 10 }, { signal })
        : skipToken,
  });

interface Records {
  groups: EntryGroup[];
  isSearching: boolean;
}

/**
 * Records by search: own tokens, for administrators channels and users, a request by its id, settings.
 *
 * @param typed - the words as they stand, for what needs no search
 * @param query - the words after a pause in typing
 */
export function useRecords(typed: string, query: string): Records {
  const say = useSay();
  const user = useCurrentUser();
  const isAdmin = mayAccess(user, 'admin');
  const tokens = useQuery({ ...tokensQuery(query), enabled: user !== null });
  const channels = useQuery(channelsQuery(query, isAdmin));
  const users = useQuery(usersQuery(query, isAdmin));
  const openers = useOpeners();
  const { request, settings } = useLookUps(typed);

  const groups: EntryGroup[] = [
    { title: say(text.groupRequest), entries: request },
    {
      title: say(text.groupTokens),
      entries: (tokens.data ?? []).slice(0, shown).map((token) => ({
        id: `token-${token.id}`,
        label: token.name,
        detail: token.status === tokenStatus.enabled ? token.key : say(text.disabled),
        icon: KeyRound,
        run: () => openers.token(token.id),
      })),
    },
    {
      title: say(text.groupChannels),
      entries: (channels.data ?? []).slice(0, shown).map((channel) => ({
        id: `channel-${channel.id}`,
        label: channel.name,
        detail: `#${channel.id} · ${channel.group}`,
        icon: Network,
        run: () => openers.channel(channel.id),
      })),
    },
    {
      title: say(text.groupUsers),
      entries: (users.data?.items ?? []).slice(0, shown).map((person) => ({
        id: `user-${person.id}`,
        label: person.username,
        detail: [`#${person.id}`, person.display_name, person.email].filter(Boolean).join(' · '),
        icon: UserRound,
        run: () => openers.user(person.username),
      })),
    },
    { title: say(text.groupLookUp), entries: settings },
  ];
  return {
    groups: user ? groups.filter(({ entries }) => entries.length > 0) : [],
    isSearching: tokens.isFetching || channels.isFetching || users.isFetching,
  };
}

/** Where a record is opened. */
function useOpeners() {
  const navigate = useNavigate();
  const hasUserPage = pages.some(({ path }) => path === '/user');
  return {
    token: (id: number) => void navigate({ to: '/token', search: { use: String(id) } }),
    channel: (id: number) => void navigate({ to: '/channel', search: { edit: String(id) } }),
    user: (username: string) =>
      void (hasUserPage
        ? navigate({ to: '/user', search: { keyword: username } })
        : navigate({ to: '/log', search: { username, range: '30d' } })),
  };
}

/** What the words themselves may name: a request, something among the settings. */
function useLookUps(query: string): Record<'request' | 'settings', EntryGroup['entries']> {
  const say = useSay();
  const user = useCurrentUser();
  const navigate = useNavigate();
  const request = {
    id: 'request',
    label: say(text.request, { id: query }),
    icon: ScrollText,
    run: () => void navigate({ to: '/log', search: { request: query, range: 'all' } }),
  };
  const settings = {
    id: 'settings',
    label: say(text.settings, { query }),
    icon: Settings,
    run: () => void navigate({ to: '/setting', search: { q: query } }),
  };
  const isRequest = isRequestId(query);
  return {
    request: isRequest ? [request] : [],
    settings: isSearch(query) && !isRequest && mayAccess(user, 'root') ? [settings] : [],
  };
}
