import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

/** A real OpenID provider on this machine: it accepts every name with any password. */
export interface OpenidProvider {
  readonly issuer: string;
  /** Address of its discovery document. */
  readonly wellKnown: string;
  /** The groups of users by name; a user without an entry has none. */
  readonly groups: Map<string, readonly string[]>;
  close(): Promise<void>;
}

export interface OpenidClient {
  id: string;
  secret: string;
  redirectUri: string;
}

/** The provider's claims about the user who logs in as `name`. */
const claimsOf = (name: string, groups: readonly string[] | undefined) => ({
  sub: name,
  preferred_username: `${name}-there`,
  name: `${name} by OpenID`,
  email: `${name}@openid.example`,
  email_verified: !name.startsWith('unverified'),
  // As Entra names the object of a user.
  ...(name.startsWith('object-') && { oid: `oid-of-${name}` }),
  ...(groups && { groups }),
});

/**
 * Starts the provider on a free port. At its start it prints that it is made for development. It uses http, which is
 * allowed in a private network.
 */
export async function startOpenidProvider({
  id,
  secret,
  redirectUri,
}: OpenidClient): Promise<OpenidProvider> {
  const groups = new Map<string, readonly string[]>();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: id,
        client_secret: secret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'preferred_username', 'groups', 'oid'],
    },
    pkce: { required: () => true },
    findAccount: (_context, name) => ({ accountId: name, claims: () => claimsOf(name, groups.get(name)) }),
    cookies: { keys: ['a key of the tests'] },
  });
  const answer = provider.callback();
  server.on('request', (req, res) => void answer(req, res));
  return {
    issuer,
    groups,
    wellKnown: `${issuer}/.well-known/openid-configuration`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
