import type { Access } from '@tollgate/contract';
import type { LucideIcon } from 'lucide-react';
import type { FunctionComponent } from 'react';
import type { Status } from '../lib/api/status.ts';
import type { Text } from '../lib/i18n.ts';

/** The entries of the sidebar (places.ts). */
export type PlaceId =
  | 'home'
  | 'playground'
  | 'keys'
  | 'activity'
  | 'models'
  | 'channels'
  | 'customers'
  | 'money'
  | 'wallet'
  | 'settings';

/** One page of the console. Router, sidebar, tabs, guard, window title and smoke test read only this list. */
export interface PageEntry {
  path: string;
  /** Who may open it; others are sent to the log-in or see a refusal. */
  access: Extract<Access, 'public' | 'user' | 'admin' | 'root'>;
  title: Text;
  /** 'console' has the sidebar, 'site' only the top navigation, 'bare' neither; 'either' has the sidebar for users. */
  frame: 'console' | 'site' | 'bare' | 'either';
  /** The page takes the window to its end: no margins, no footer. */
  fills?: true;
  /** The entry of the sidebar it belongs to; several pages of one place are its tabs. */
  place?: PlaceId;
  /** The path of the tab it is a part of; without it the page is a tab itself. */
  under?: string;
  /** What its tab is called, if the tab holds more than the page. */
  tab?: Text;
  /** The menu of the account lists it. */
  account?: true;
  icon?: LucideIcon;
  /** Further words that the command palette finds it by. */
  also?: string;
  /** False hides it from links and lists on this site; its address still opens it. */
  when?: (status: Status) => boolean;
  /** True sends guests to the log-in on this site. */
  closed?: (status: Status) => boolean;
  load: () => Promise<{ Page: FunctionComponent }>;
}

/** True unless the site is in self-use mode, which has no sign-up and no sales. */
export const forOthers = (status: Status): boolean => !status.self_use_mode_enabled;

/** Pages under the bar of the site, for everybody. */
export const inSite = { access: 'public', frame: 'site' } as const;

/** Pages with the sidebar, and the entry of it that they belong to. */
export const inPlace = (place: PlaceId) => ({ frame: 'console', place }) as const;
/** Pages with the sidebar that the menu of the account lists, with a picture. */
export const inAccount = (icon: LucideIcon) => ({ frame: 'console', account: true, icon }) as const;
