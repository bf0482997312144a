import { redemptionStatus, tokenStatus } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Box, KeyRound, Network, ScrollText, Settings, Ticket, UserRound } from 'lucide-react';
import { useTranslate } from '../../lib/i18n.ts';
import { mayAccess, useCurrentUser } from '../../lib/session.ts';
import { isRequestId } from './match.ts';
import { channelsQuery, codesQuery, isSearch, modelsQuery, tokensQuery, usersQuery } from './queries.ts';
import { text } from './text.ts';
import type { EntryGroup } from './types.ts';

/** Maximum number of records shown of each kind. */
const shown = 6;

interface Records {
  groups: EntryGroup[];
  isSearching: boolean;
}

/**
 * Searches records: models, own tokens, a request by its id; for administrators channels, codes, users and settings.
 *
 * @param typed - the current input, for matches that need no request
 * @param query - the input after a pause in typing
 */
export function useRecords(typed: string, query: string): Records {
  const t = useTranslate();
  const models = useModelNames(query);
  const openers = useOpeners();
  const own = useOwnRecords(query);
  const site = useSiteRecords(query);
  const { request, settings } = useLookUps(typed);
  const modelEntries = models.slice(0, shown).map((name) => ({
    id: `model-${name}`,
    label: name,
    icon: Box,
    run: () => openers.model(name),
  }));
  const groups: EntryGroup[] = [
    { title: t(text.groupRequest), entries: request },
    ...own.groups,
    ...site.groups,
    { title: t(text.groupModels), entries: modelEntries },
    { title: t(text.groupLookUp), entries: settings },
  ];
  return {
    groups: groups.filter(({ entries }) => entries.length > 0),
    isSearching: own.isSearching || site.isSearching,
  };
}

/** The person's own tokens. */
function useOwnRecords(query: string): Records {
  const t = useTranslate();
  const openers = useOpeners();
  const isLoggedIn = useCurrentUser() !== null;
  const { data = [], isFetching } = useQuery(tokensQuery({ query, may: isLoggedIn }));
  const entries = data.slice(0, shown).map((token) => ({
    id: `token-${token.id}`,
    label: token.name,
    detail: token.status === tokenStatus.enabled ? token.key : t(text.disabled),
    icon: KeyRound,
    run: () => openers.token(token.id),
  }));
  return { groups: [{ title: t(text.groupTokens), entries }], isSearching: isFetching };
}

/** Records that administrators manage: channels, codes and users. */
function useSiteRecords(query: string): Records {
  const t = useTranslate();
  const openers = useOpeners();
  const may = mayAccess(useCurrentUser(), 'admin');
  const channels = useQuery(channelsQuery({ query, may }));
  const codes = useQuery(codesQuery({ query, may }));
  const users = useQuery(usersQuery({ query, may }));
  const channelEntries = (channels.data ?? []).slice(0, shown).map((channel) => ({
    id: `channel-${channel.id}`,
    label: channel.name,
    detail: `#${channel.id} · ${channel.group}`,
    icon: Network,
    run: () => openers.channel(channel.id),
  }));
  const codeEntries = (codes.data?.items ?? []).slice(0, shown).map((code) => ({
    id: `code-${code.id}`,
    label: code.name,
    detail: code.status === redemptionStatus.unused ? `#${code.id}` : t(text.notUnused, { id: code.id }),
    icon: Ticket,
    run: () => openers.code(code.id),
  }));
  const userEntries = (users.data?.items ?? []).slice(0, shown).map((person) => ({
    id: `user-${person.id}`,
    label: person.username,
    detail: [`#${person.id}`, person.display_name, person.email].filter(Boolean).join(' · '),
    icon: UserRound,
    run: () => openers.user(person.id),
  }));
  return {
    groups: [
      { title: t(text.groupChannels), entries: channelEntries },
      { title: t(text.groupCodes), entries: codeEntries },
      { title: t(text.groupUsers), entries: userEntries },
    ],
    isSearching: [channels, codes, users].some(({ isFetching }) => isFetching),
  };
}

/** Priced models with the words in their names. */
function useModelNames(query: string): string[] {
  const { data = [] } = useQuery(modelsQuery({ query, may: true }));
  if (!isSearch(query)) return [];
  const wanted = query.toLowerCase();
  return data.map((item) => item.model_name).filter((name) => name.toLowerCase().includes(wanted));
}

/** The address that opens a record. */
function useOpeners() {
  const navigate = useNavigate();
  return {
    token: (id: number) => void navigate({ to: '/token', search: { use: String(id) } }),
    channel: (id: number) => void navigate({ to: '/channel', search: { edit: String(id) } }),
    code: (id: number) => void navigate({ to: '/redemption', search: { keyword: String(id) } }),
    model: (name: string) => void navigate({ to: '/pricing', search: { q: name } }),
    user: (id: number) => void navigate({ to: '/user', search: { edit: String(id) } }),
  };
}

/** Matches that need no request: a request id, settings. */
function useLookUps(query: string): Record<'request' | 'settings', EntryGroup['entries']> {
  const t = useTranslate();
  const user = useCurrentUser();
  const navigate = useNavigate();
  const request = {
    id: 'request',
    label: t(text.request, { id: query }),
    icon: ScrollText,
    run: () => void navigate({ to: '/log', search: { request: query, range: 'all' } }),
  };
  const settings = {
    id: 'settings',
    label: t(text.settings, { query }),
    icon: Settings,
    run: () => void navigate({ to: '/setting', search: { q: query } }),
  };
  const isRequest = isRequestId(query);
  return {
    request: user && isRequest ? [request] : [],
    settings: isSearch(query) && !isRequest && mayAccess(user, 'root') ? [settings] : [],
  };
}
