import type { Status } from '../../lib/api/status.ts';

/** A way to sign in through another site. */
export interface SignInWay {
  id: string;
  /** How the site is called; the same in every language. */
  name: string;
  /** Where its picture is, for a provider that root added; '' for none. */
  logo: string;
}

/** Telegram asks people about a bot, so they see its name beforehand. */
const telegramName = ({ telegram_bot_name: bot }: Status): string =>
  bot === '' ? 'Telegram' : `Telegram (@${bot})`;

/** The ways that this site offers, in a fixed order; those that root added come last, in the order of root. */
export const signInWays = (status: Status): SignInWay[] => [
  ...builtIn(status),
  ...status.custom_oauth_providers.map(({ slug, name, logo }) => ({ id: slug, name, logo })),
];

const builtIn = (status: Status): SignInWay[] =>
  [
    { id: 'github', name: 'GitHub', open: status.github_oauth },
    { id: 'oidc', name: 'OIDC', open: status.oidc_enabled },
    { id: 'linuxdo', name: 'Linux DO', open: status.linuxdo_oauth },
    { id: 'discord', name: 'Discord', open: status.discord_oauth },
    { id: 'telegram', name: telegramName(status), open: status.telegram_oauth },
    { id: 'wechat', name: 'WeChat', open: status.wechat_login },
  ]
    .filter(({ open }) => open)
    .map(({ id, name }) => ({ id, name, logo: '' }));
