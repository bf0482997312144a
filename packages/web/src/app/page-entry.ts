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
  /** Required access. Others are sent to the log-in or see a refusal. */
  access: Extract<Access, 'public' | 'user' | 'admin' | 'root'>;
  title: Text;
  /** 'console' has the sidebar, 'site' only the top navigation, 'bare' neither; 'either' has the sidebar for users. */
  frame: 'console' | 'site' | 'bare' | 'either';
  /** The page fills the window: no margins, no footer. */
  fills?: true;
  /** The sidebar entry of the page; several pages of one place are its tabs. */
  place?: PlaceId;
  /** The path of the tab that contains this page; without it the page is a tab. */
  under?: string;
  /** Label of its tab, if the tab holds more than the page. */
  tab?: Text;
  /** The account menu lists it. */
  account?: true;
  icon?: LucideIcon;
  /** More search words for the command palette. */
  also?: string;
  /** False hides it from links and lists on this site; its address still opens it. */
  when?: (status: Status) => boolean;
  /** True sends guests to the log-in on this site. */
  closed?: (status: Status) => boolean;
  load: () => Promise<{ Page: FunctionComponent }>;
}

/** True unless the site is in self-use mode, which has no sign-up and no sales. */
export const forOthers = (status: Status): boolean => !status.self_use_mode_enabled;

/** Pages with only the top navigation, for everybody. */
export const inSite = { access: 'public', frame: 'site' } as const;

/** Pages with the sidebar, and their sidebar entry. */
export const inPlace = (place: PlaceId) => ({ frame: 'console', place }) as const;
/** Pages with the sidebar that are in the account menu, with an icon. */
export const inAccount = (icon: LucideIcon) => ({ frame: 'console', account: true, icon }) as const;
