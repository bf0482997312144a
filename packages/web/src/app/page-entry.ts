import type { Access } from '@tollgate/contract';
import type { LucideIcon } from 'lucide-react';
import type { FunctionComponent } from 'react';
import type { Status } from '../lib/api/status.ts';
import type { Text } from '../lib/i18n.ts';

/** Groups of the sidebar, in order. */
export type NavGroup = 'console' | 'admin' | 'personal';

/** One page of the console. Router, sidebar, guard, window title and smoke test read only this list. */
export interface PageEntry {
  path: string;
  /** Who may open it; others are sent to the log-in or see a refusal. */
  access: Extract<Access, 'public' | 'user' | 'admin' | 'root'>;
  title: Text;
  /** 'console' has the sidebar, 'site' only the top navigation, 'bare' neither. */
  frame: 'console' | 'site' | 'bare';
  /** The page takes the window to its end: no margins, no footer. */
  fills?: true;
  /** Where the sidebar lists it; pages without a group are reached by links. */
  nav?: NavGroup;
  /** Its group for users without the admin group. */
  userNav?: NavGroup;
  icon?: LucideIcon;
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

/** Pages with the sidebar, where it lists them, and with which picture. */
export const inConsole = (icon: LucideIcon) => ({ frame: 'console', nav: 'console', icon }) as const;
export const inAdmin = (icon: LucideIcon) => ({ frame: 'console', nav: 'admin', icon }) as const;
export const inPersonal = (icon: LucideIcon) => ({ frame: 'console', nav: 'personal', icon }) as const;
