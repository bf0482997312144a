import type { Access } from '@tollgate/contract';
import {
  Building2,
  ChartColumn,
  KeyRound,
  MessagesSquare,
  Network,
  ScrollText,
  Settings,
  ShieldCheck,
  SquareTerminal,
  Ticket,
  UserCog,
  Users,
  Wallet,
  type LucideIcon,
} from 'lucide-react';
import type { FunctionComponent } from 'react';
import type { Text } from '../lib/i18n.ts';
import type { Status } from '../lib/api/status.ts';
import { pageTitles } from './text.ts';

/** Groups of the sidebar, in order. */
export type NavGroup = 'console' | 'admin' | 'personal';

/** One page of the console. Router, sidebar, guard, window title and smoke test read this list alone. */
export interface PageEntry {
  path: string;
  /** Who may open it; others are sent to the login, or told so. */
  access: Extract<Access, 'public' | 'user' | 'admin' | 'root'>;
  title: Text;
  /** 'console' has the sidebar, 'site' the top navigation alone, 'bare' neither. */
  frame: 'console' | 'site' | 'bare';
  /** The page takes the window to its end: no margins, no footer. */
  fills?: true;
  /** Where the sidebar lists it; pages without a group are reached by links. */
  nav?: NavGroup;
  /** Where it stands for those who do not see the admin group. */
  userNav?: NavGroup;
  icon?: LucideIcon;
  /** False hides it from links and lists on this site; its address still opens it. */
  when?: (status: Status) => boolean;
  load: () => Promise<{ Page: FunctionComponent }>;
}

/** Another address of something that a page shows, such as a form that opens over its list. */
export interface AddressEntry {
  path: string;
  /** The page, and what of it is open; `$id` stands for the part of the address of that name. */
  to: string;
  search: Record<string, string>;
}

export const otherAddresses: readonly AddressEntry[] = [
  { path: '/channel/add', to: '/channel', search: { edit: 'new' } },
  { path: '/channel/edit/$id', to: '/channel', search: { edit: '$id' } },
  { path: '/user/add', to: '/user', search: { edit: 'new' } },
  { path: '/user/edit/$id', to: '/user', search: { edit: '$id' } },
  // Without an id it is the form of one's own account.
  { path: '/user/edit', to: '/personal', search: {} },
];

/** Who runs Tollgate for themselves signs nobody up and sells nothing. */
const forOthers = (status: Status): boolean => !status.self_use_mode_enabled;

export const pages: readonly PageEntry[] = [
  {
    path: '/',
    access: 'public',
    title: pageTitles.home,
    frame: 'site',
    load: () => import('../features/home/page.tsx'),
  },
  {
    path: '/setup',
    access: 'public',
    title: { zh: '系统初始化', en: 'System initialization' },
    frame: 'bare',
    load: () => import('../features/setup/page.tsx'),
  },
  {
    path: '/login',
    access: 'public',
    title: pageTitles.login,
    frame: 'site',
    load: () => import('../features/auth/login-page.tsx'),
  },
  {
    path: '/register',
    access: 'public',
    title: pageTitles.register,
    frame: 'site',
    when: forOthers,
    load: () => import('../features/auth/register-page.tsx'),
  },
  {
    path: '/reset',
    access: 'public',
    title: { zh: '密码重置', en: 'Reset your password' },
    frame: 'site',
    load: () => import('../features/auth/reset-page.tsx'),
  },
  {
    path: '/user/reset',
    access: 'public',
    title: { zh: '密码重置确认', en: 'Your new password' },
    frame: 'site',
    load: () => import('../features/auth/new-password-page.tsx'),
  },
  {
    path: '/oauth/$provider',
    access: 'public',
    title: { zh: '第三方登录', en: 'Signing in through another site' },
    frame: 'site',
    load: () => import('../features/auth/oauth-page.tsx'),
  },
  {
    path: '/pricing',
    access: 'public',
    title: { zh: '模型价格', en: 'Pricing' },
    frame: 'site',
    when: forOthers,
    load: () => import('../features/pricing/page.tsx'),
  },
  {
    path: '/docs/api',
    access: 'public',
    title: pageTitles.reference,
    frame: 'site',
    load: () => import('../features/reference/page.tsx'),
  },
  {
    path: '/about',
    access: 'public',
    title: { zh: '关于', en: 'About' },
    frame: 'site',
    load: () => import('../features/about/page.tsx'),
  },
  {
    path: '/detail',
    access: 'user',
    title: { zh: '数据看板', en: 'Dashboard' },
    frame: 'console',
    nav: 'console',
    icon: ChartColumn,
    when: (status) => status.enable_data_export,
    load: () => import('../features/dashboard/page.tsx'),
  },
  {
    path: '/token',
    access: 'user',
    title: { zh: '令牌管理', en: 'API tokens' },
    frame: 'console',
    nav: 'console',
    icon: KeyRound,
    load: () => import('../features/tokens/page.tsx'),
  },
  {
    path: '/log',
    access: 'user',
    title: { zh: '使用日志', en: 'Usage logs' },
    frame: 'console',
    nav: 'console',
    icon: ScrollText,
    load: () => import('../features/logs/page.tsx'),
  },
  {
    path: '/playground',
    access: 'user',
    title: { zh: '操练场', en: 'Playground' },
    frame: 'console',
    fills: true,
    nav: 'admin',
    userNav: 'console',
    icon: SquareTerminal,
    load: () => import('../features/playground/page.tsx'),
  },
  {
    path: '/chat',
    access: 'user',
    title: pageTitles.chat,
    frame: 'site',
    fills: true,
    icon: MessagesSquare,
    load: () => import('../features/chat/page.tsx'),
  },
  {
    path: '/chat/$id',
    access: 'user',
    title: pageTitles.chat,
    frame: 'site',
    fills: true,
    load: () => import('../features/chat/page.tsx'),
  },
  {
    path: '/chat2link',
    access: 'user',
    title: pageTitles.chat,
    frame: 'site',
    load: () => import('../features/chat/redirect-page.tsx'),
  },
  {
    path: '/channel',
    access: 'admin',
    title: { zh: '渠道管理', en: 'Channels' },
    frame: 'console',
    nav: 'admin',
    icon: Network,
    load: () => import('../features/channels/page.tsx'),
  },
  {
    path: '/redemption',
    access: 'admin',
    title: { zh: '兑换码管理', en: 'Redemption codes' },
    frame: 'console',
    nav: 'admin',
    icon: Ticket,
    load: () => import('../features/redemptions/page.tsx'),
  },
  {
    path: '/user',
    access: 'admin',
    title: { zh: '用户管理', en: 'Users' },
    frame: 'console',
    nav: 'admin',
    icon: Users,
    load: () => import('../features/users/page.tsx'),
  },
  {
    path: '/all-organisations',
    access: 'admin',
    title: { zh: '组织管理', en: 'All organisations' },
    frame: 'console',
    nav: 'admin',
    icon: Building2,
    when: forOthers,
    load: () => import('../features/organisations/all-page.tsx'),
  },
  {
    path: '/setting',
    access: 'root',
    title: { zh: '系统设置', en: 'Settings' },
    frame: 'console',
    nav: 'admin',
    icon: Settings,
    load: () => import('../features/settings/page.tsx'),
  },
  {
    path: '/audit',
    access: 'root',
    title: { zh: '审计', en: 'Audit' },
    frame: 'console',
    nav: 'admin',
    icon: ShieldCheck,
    load: () => import('../features/audit/page.tsx'),
  },
  {
    path: '/topup',
    access: 'user',
    title: { zh: '钱包', en: 'Wallet' },
    frame: 'console',
    nav: 'personal',
    icon: Wallet,
    load: () => import('../features/wallet/page.tsx'),
  },
  {
    path: '/organisations',
    access: 'user',
    title: pageTitles.organisations,
    frame: 'console',
    nav: 'personal',
    icon: Building2,
    when: forOthers,
    load: () => import('../features/organisations/page.tsx'),
  },
  {
    path: '/organisations/join',
    access: 'user',
    title: { zh: '组织邀请', en: 'Invitation' },
    frame: 'console',
    when: () => false,
    load: () => import('../features/organisations/join-page.tsx'),
  },
  {
    path: '/organisations/$id',
    access: 'user',
    title: pageTitles.organisations,
    frame: 'console',
    load: () => import('../features/organisations/team-page.tsx'),
  },
  {
    path: '/personal',
    access: 'user',
    title: { zh: '个人设置', en: 'Personal settings' },
    frame: 'console',
    nav: 'personal',
    icon: UserCog,
    load: () => import('../features/personal/page.tsx'),
  },
];
