import { useMantineColorScheme } from '@mantine/core';
import {
  AppWindow,
  Building2,
  Languages,
  LogOut,
  MessagesSquare,
  Monitor,
  Moon,
  Network,
  Plus,
  Sun,
  Ticket,
  UserPlus,
} from 'lucide-react';
import { useNavigate } from '@tanstack/react-router';
import { useLanguage, useTranslate, type Text } from '../../lib/i18n.ts';
import { mayAccess, useCurrentUser } from '../../lib/session.ts';
import { useStatus } from '../../lib/api/status.ts';
import { useLogOut } from '../../shared/use-log-out.ts';
import type { PageEntry } from '../page-entry.ts';
import { pages } from '../pages.ts';
import { isListed, places } from '../places.ts';
import { chooseLanguage } from '../choose-language.ts';
import { text } from './text.ts';
import type { Entry } from './types.ts';

/** Both languages, so that either finds the entry. */
const searchText = ({ zh, en }: Text): string => `${zh} ${typeof en === 'string' ? en : en.other}`;

/** Excludes addresses with a parameter and addresses that only redirect. */
const isDestination = ({ path }: PageEntry): boolean =>
  !path.includes('$') && !['/setup', '/chat2link'].includes(path);
const forGuests = ['/', '/login', '/register', '/reset'];

/** The pages this person may open on this site, and its chat applications. */
export function usePageEntries(): Entry[] {
  const t = useTranslate();
  const navigate = useNavigate();
  const user = useCurrentUser();
  const status = useStatus();
  const listed = pages.filter(
    (page) => isDestination(page) && isListed(page, user, status) && !(user && forGuests.includes(page.path)),
  );
  const iconOf = ({ icon, place }: PageEntry) =>
    icon ?? places.find(({ id }) => id === place)?.icon ?? AppWindow;
  // Pages of the sidebar are more wanted than home and about.
  listed.sort((one, two) => Number(two.place !== undefined) - Number(one.place !== undefined));
  const chats = user ? (status?.chats ?? []).flatMap((entry) => Object.keys(entry).slice(0, 1)) : [];
  return [
    ...listed.map((page): Entry => ({
      id: page.path,
      label: t(page.title),
      keywords: `${searchText(page.title)} ${page.tab ? searchText(page.tab) : ''} ${page.also ?? ''} ${page.path}`,
      icon: iconOf(page),
      run: () => void navigate({ to: page.path }),
    })),
    ...chats.map((name, index): Entry => ({
      id: `chat-${index}`,
      label: t(text.chatWith, { name }),
      keywords: searchText(text.chatWith),
      icon: MessagesSquare,
      run: () => void navigate({ to: `/chat/${index}` }),
    })),
  ];
}

/** Actions that are available on every page. */
export function useActionEntries(): Entry[] {
  const t = useTranslate();
  const language = useLanguage();
  const navigate = useNavigate();
  const user = useCurrentUser();
  const logOut = useLogOut();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const action = (id: string, words: Text, icon: Entry['icon'], run: () => void): Entry => ({
    id,
    label: t(words),
    keywords: searchText(words),
    icon,
    run,
  });
  const add = (path: string) => () => void navigate({ to: path, search: { edit: 'new' } });
  const isAdmin = mayAccess(user, 'admin');
  const selfUse = useStatus()?.self_use_mode_enabled ?? true;
  return [
    ...(user ? [action('new-token', text.newToken, Plus, add('/token'))] : []),
    ...(user && !selfUse
      ? [action('new-organisation', text.newOrganisation, Building2, add('/organisations'))]
      : []),
    ...(isAdmin
      ? [
          action('new-channel', text.newChannel, Network, add('/channel')),
          action('new-code', text.newCode, Ticket, add('/redemption')),
          action('new-user', text.newUser, UserPlus, add('/user')),
        ]
      : []),
    ...(colorScheme === 'light'
      ? []
      : [action('light', text.themeLight, Sun, () => setColorScheme('light'))]),
    ...(colorScheme === 'dark' ? [] : [action('dark', text.themeDark, Moon, () => setColorScheme('dark'))]),
    ...(colorScheme === 'auto'
      ? []
      : [action('auto', text.themeSystem, Monitor, () => setColorScheme('auto'))]),
    language === 'zh'
      ? action('en', text.toEnglish, Languages, () => chooseLanguage('en'))
      : action('zh', text.toChinese, Languages, () => chooseLanguage('zh')),
    ...(user ? [action('log-out', text.logOut, LogOut, logOut)] : []),
  ];
}
