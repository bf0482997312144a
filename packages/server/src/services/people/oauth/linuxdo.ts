import { z } from 'zod';
import { configure, exchange, pageOf, readJson } from './openid.ts';
import type { ProviderDeps, SignInProvider } from './types.ts';

const account = z.object({ id: z.number().int(), username: z.string(), name: z.string().nullish() });

/** Linux DO Connect: OAuth 2.0 with an account's number. */
export function linuxdoProvider({ settings, http, addresses: { linuxdo } }: ProviderDeps): SignInProvider {
  const configuration = () =>
    configure(
      http,
      {
        issuer: linuxdo,
        authorization_endpoint: `${linuxdo}/oauth2/authorize`,
        token_endpoint: `${linuxdo}/oauth2/token`,
      },
      { id: settings.get('LinuxDOClientId'), secret: settings.get('LinuxDOClientSecret') },
    );
  return {
    id: 'linuxdo',
    name: 'Linux DO',
    isEnabled: () => settings.get('LinuxDOOAuthEnabled'),
    pageFor: async (round) => pageOf(await configuration(), round, 'user'),
    async identify(round, returned) {
      const known = await configuration();
      const { access_token: token } = await exchange(known, { ...round, nonce: '' }, returned);
      const user = account.parse(await readJson(known, token, `${linuxdo}/api/user`));
      return {
        provider: 'linuxdo',
        subject: String(user.id),
        providerName: 'Linux DO',
        username: '',
        displayName: user.name || 'Linux DO User',
        email: '',
      };
    },
  };
}
