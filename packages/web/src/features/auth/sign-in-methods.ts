import { type Language, wayToSignIn } from '@tollgate/contract';
import type { Status } from '../../lib/api/status.ts';

/** A way to sign in through another site. */
export interface SignInMethod {
  id: string;
  /** Display name of the site. */
  name: string;
  /** Address of its icon, for a provider that root added; '' for none. */
  logo: string;
}

/** Telegram asks users about a bot, so the button shows its name. */
const telegramName = ({ telegram_bot_name: bot }: Status): string =>
  bot === '' ? 'Telegram' : `Telegram (@${bot})`;

/** The sign-in methods of this site, in a fixed order. Providers that root added come last, in root's order. */
export const signInMethods = (status: Status, language: Language): SignInMethod[] => [
  ...builtIn(status, language),
  ...status.custom_oauth_providers.map(({ slug, name, logo }) => ({ id: slug, name, logo })),
];

const builtIn = (status: Status, language: Language): SignInMethod[] =>
  [
    { id: 'github', name: 'GitHub', open: status.github_oauth },
    { id: 'oidc', name: 'OIDC', open: status.oidc_enabled },
    { id: 'linuxdo', name: 'Linux DO', open: status.linuxdo_oauth },
    { id: 'discord', name: 'Discord', open: status.discord_oauth },
    { id: 'telegram', name: telegramName(status), open: status.telegram_oauth },
    { id: 'wechat', name: wayToSignIn('wechat')[language], open: status.wechat_login },
  ]
    .filter(({ open }) => open)
    .map(({ id, name }) => ({ id, name, logo: '' }));
