import { z } from 'zod';
import { configure, exchange, buildPageAddress, readJson } from './openid.ts';
import type { ProviderDeps, SignInProvider } from './types.ts';

const account = z.object({
  id: z.string(),
  username: z.string(),
  global_name: z.string().nullish(),
  email: z.string().nullish(),
  verified: z.boolean().optional(),
});

/** Discord: OAuth 2.0 with an account's number. */
export function discordProvider({ settings, http, addresses: { discord } }: ProviderDeps): SignInProvider {
  const configuration = () =>
    configure(
      http,
      {
        issuer: discord,
        authorization_endpoint: `${discord}/oauth2/authorize`,
        token_endpoint: `${discord}/api/oauth2/token`,
      },
      { id: settings.get('discord.client_id'), secret: settings.get('discord.client_secret') },
    );
  return {
    id: 'discord',
    name: 'Discord',
    isEnabled: () => settings.get('discord.enabled'),
    pageFor: async (round) => buildPageAddress(await configuration(), round, 'identify email'),
    async identify(round, returned) {
      const known = await configuration();
      const { access_token: token } = await exchange(known, { ...round, nonce: '' }, returned);
      const user = account.parse(await readJson(known, token, `${discord}/api/users/@me`));
      return {
        provider: 'discord',
        subject: user.id,
        providerName: 'Discord',
        username: '',
        displayName: user.global_name || user.username || 'Discord User',
        email: user.verified === true ? (user.email ?? '') : '',
      };
    },
  };
}
