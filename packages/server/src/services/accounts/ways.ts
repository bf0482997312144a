import type { AccountsDeps } from './deps.ts';

/** Which ways in are open beside other sites. */
export interface OwnWays {
  byPassword: boolean;
  /** An address lets its owner in as well: they get a password by mail. */
  byMail: boolean;
}

/** The ways in that work now, for everybody who has what they need. */
export function ownWays({ settings, mail }: Pick<AccountsDeps, 'settings' | 'mail'>): OwnWays {
  const byPassword = settings.get('PasswordLoginEnabled');
  return { byPassword, byMail: byPassword && mail.isConfigured() && settings.get('ServerAddress') !== '' };
}
