import type { AccountsDeps } from './deps.ts';

/** The enabled ways to sign in, besides other sites. */
export interface OwnWays {
  byPassword: boolean;
  /** A mail address is also a way to sign in, because it allows a password reset. */
  byMail: boolean;
}

/** The ways to sign in that work at present for users who have set them up. */
export function ownWays({ settings, mail }: Pick<AccountsDeps, 'settings' | 'mail'>): OwnWays {
  const byPassword = settings.get('PasswordLoginEnabled');
  return { byPassword, byMail: byPassword && mail.isConfigured() && settings.get('ServerAddress') !== '' };
}
