import { z } from 'zod';
import { configure, exchange, buildPageAddress, readJson } from './openid.ts';
import type { ProviderDeps, SignInProvider } from './types.ts';

const account = z.object({ id: z.number().int(), login: z.string(), name: z.string().nullish() });
const addresses = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/**
 * GitHub's OAuth apps. The identity is the account's number, because a login name can be released and registered by
 * another user. Reads the mail address by a separate call, because the one in the profile may be unverified.
 */
export function githubProvider({
  settings,
  http,
  addresses: { github, githubApi },
}: ProviderDeps): SignInProvider {
  const configuration = () =>
    configure(
      http,
      {
        issuer: github,
        authorization_endpoint: `${github}/login/oauth/authorize`,
        token_endpoint: `${github}/login/oauth/access_token`,
      },
      { id: settings.get('GitHubClientId'), secret: settings.get('GitHubClientSecret') },
    );
  return {
    id: 'github',
    name: 'GitHub',
    isEnabled: () => settings.get('GitHubOAuthEnabled'),
    pageFor: async (round) => buildPageAddress(await configuration(), round, 'user:email'),
    async identify(round, returned) {
      const known = await configuration();
      // GitHub signs no id token, so no nonce is expected.
      const { access_token: token } = await exchange(known, { ...round, nonce: '' }, returned);
      const user = account.parse(await readJson(known, token, `${githubApi}/user`));
      const mails = addresses.safeParse(
        await readJson(known, token, `${githubApi}/user/emails`).catch(() => []),
      );
      const mail = mails.data?.find(({ primary, verified }) => primary && verified);
      return {
        provider: 'github',
        subject: String(user.id),
        providerName: 'GitHub',
        username: '',
        displayName: user.name || 'GitHub User',
        email: mail?.email ?? '',
      };
    },
  };
}
