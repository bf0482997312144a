import {
  ArrowLeftRight,
  ChartColumn,
  Coins,
  KeyRound,
  Network,
  Settings,
  SquareTerminal,
  Tags,
  Users,
  Wallet,
  type LucideIcon,
} from 'lucide-react';
import { mayAccess } from '../lib/session.ts';
import type { Status } from '../lib/api/status.ts';
import type { Text } from '../lib/i18n.ts';
import type { StoredUser } from '../lib/storage.ts';
import type { PageEntry, PlaceId } from './page-entry.ts';
import { pages } from './pages.ts';
import { pageTitles } from './text.ts';

interface Place {
  id: PlaceId;
  title: Text;
  /** Label for users without the pages of administrators. */
  userTitle?: Text;
  icon: LucideIcon;
  /** Icon for users without the pages of administrators. */
  userOnly?: true;
  /** At the foot of the sidebar. */
  foot?: true;
}

/** The entries of the sidebar, in order. */
export const places: readonly Place[] = [
  { id: 'home', title: pageTitles.dashboard, icon: ChartColumn },
  { id: 'playground', title: pageTitles.playground, icon: SquareTerminal },
  { id: 'keys', title: pageTitles.keys, icon: KeyRound },
  { id: 'activity', title: { zh: '使用记录', en: 'Activity' }, icon: ArrowLeftRight },
  {
    id: 'models',
    title: { zh: '模型与价格', en: 'Models and prices' },
    userTitle: pageTitles.models,
    icon: Tags,
  },
  { id: 'channels', title: pageTitles.channels, icon: Network },
  { id: 'customers', title: { zh: '客户', en: 'Customers' }, icon: Users },
  { id: 'money', title: { zh: '收支', en: 'Money' }, icon: Coins },
  { id: 'wallet', title: pageTitles.wallet, icon: Wallet, userOnly: true },
  { id: 'settings', title: pageTitles.settings, icon: Settings, foot: true },
];

/** True if lists may show the page to this user on this site. */
export const isListed = (page: PageEntry, user: StoredUser | null, status: Status | undefined): boolean =>
  mayAccess(user, page.access) && (!page.when || (status !== undefined && page.when(status)));

/** The tabs of a place for this user, each with the address it opens. */
export function placeTabs(
  place: PlaceId,
  user: StoredUser | null,
  status: Status | undefined,
): { path: string; title: Text }[] {
  return pages
    .filter((page) => page.place === place && page.under === undefined && isListed(page, user, status))
    .map(({ path, tab, title }) => ({ path, title: tab ?? title }));
}

/** A sidebar entry as a user sees it. */
export interface ListedPlace extends Pick<Place, 'id' | 'title' | 'icon' | 'foot'> {
  /** The address of its first tab. */
  path: string;
}

/** The sidebar entries of a user. A place without a page for them is left out. */
export function listedPlaces(user: StoredUser | null, status: Status | undefined): ListedPlace[] {
  const isAdmin = mayAccess(user, 'admin');
  return places.flatMap(({ userOnly, userTitle, title, ...place }) => {
    const first = placeTabs(place.id, user, status)[0];
    if (!first || (userOnly && isAdmin)) return [];
    return [{ ...place, title: isAdmin ? title : (userTitle ?? title), path: first.path }];
  });
}
