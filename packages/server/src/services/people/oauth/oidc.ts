import type { Configuration } from 'openid-client';
import { z } from 'zod';
import type { Settings } from '../../site/settings/index.ts';
import {
  type ClientCredentials,
  configure,
  discover,
  exchange,
  library,
  buildPageAddress,
  readJson,
} from './openid.ts';
import type { ProviderDeps, SignInProvider } from './types.ts';

const account = z.looseObject({
  sub: z.string().min(1).max(255),
  preferred_username: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  email: z.string().optional().catch(undefined),
  email_verified: z.boolean().optional().catch(undefined),
});

/** An OpenID provider: discovered by its document, or with endpoints entered by hand. */
interface OidcAddresses {
  /** The well-known document or the issuer; '' if the endpoints below are entered by hand. */
  wellKnown: string;
  authorization: string;
  token: string;
  userInfo: string;
}

export interface OidcSource {
  id: string;
  name: string;
  isEnabled(): boolean;
  addresses(): OidcAddresses;
  client(): ClientCredentials;
  /** The scopes, separated by spaces. */
  scopes: string;
  /** The required issuer of its id tokens; absent if it was not checked beforehand. */
  issuer?: string;
}

/** Cache time of a provider's document and keys, in ms. */
const keptMs = 3_600_000;

/** Caches a provider's document until its settings change. */
function rememberConfiguration(source: OidcSource, http: ProviderDeps['http']): () => Promise<Configuration> {
  let kept: { of: string; until: number; configuration: Promise<Configuration> } | undefined;
  return () => {
    const addresses = source.addresses();
    const client = source.client();
    const of = JSON.stringify([addresses, client]);
    if (kept?.of === of && Date.now() < kept.until) return kept.configuration;
    const configuration =
      addresses.wellKnown === ''
        ? configureByHand(addresses, client, http)
        : discover(http, addresses.wellKnown, client).then((found) => checkIssuer(found, source));
    kept = { of, until: Date.now() + keptMs, configuration };
    configuration.catch(() => (kept = undefined));
    return configuration;
  };
}

/** If a document has a different issuer than at its check, its subjects would be other people. */
function checkIssuer(found: Configuration, { issuer }: OidcSource): Configuration {
  const named = found.serverMetadata().issuer;
  if (issuer !== undefined && named !== issuer)
    throw new Error(`the document names the issuer ${named} instead of ${issuer}`);
  return found;
}

const configureByHand = (addresses: OidcAddresses, client: ClientCredentials, http: ProviderDeps['http']) =>
  configure(
    http,
    {
      issuer: new URL(addresses.token).origin,
      authorization_endpoint: addresses.authorization,
      token_endpoint: addresses.token,
      userinfo_endpoint: addresses.userInfo,
    },
    client,
  );

/** An OpenID provider as a way to sign in. */
export function oidcProvider(source: OidcSource, http: ProviderDeps['http']): SignInProvider {
  const configuration = rememberConfiguration(source, http);
  return {
    id: source.id,
    name: source.name,
    isEnabled: () => source.isEnabled(),
    pageFor: async (round) => buildPageAddress(await configuration(), round, source.scopes),
    async identify(round, returned) {
      const known = await configuration();
      // Without the document there are no keys to check an id token: the account is then read from the provider only.
      const isDiscovered = source.addresses().wellKnown !== '';
      const tokens = await exchange(known, isDiscovered ? round : { ...round, nonce: '' }, returned);
      const claims = isDiscovered
        ? await (await library()).fetchUserInfo(known, tokens.access_token, tokens.claims()!.sub)
        : await readJson(known, tokens.access_token, source.addresses().userInfo);
      const user = account.parse(claims);
      return {
        provider: source.id,
        subject: user.sub,
        providerName: source.name,
        username: user.preferred_username ?? '',
        displayName: user.name || `${source.name} User`,
        email: user.email_verified === true ? (user.email ?? '') : '',
        // Some providers have groups in the id token only.
        claims: { ...(isDiscovered && tokens.claims()), ...user },
      };
    },
  };
}

/** The provider in the settings. */
export const settingsOidc = (settings: Pick<Settings, 'get'>): OidcSource => ({
  id: 'oidc',
  name: 'OIDC',
  isEnabled: () => settings.get('oidc.enabled'),
  addresses: () => ({
    wellKnown: settings.get('oidc.well_known'),
    authorization: settings.get('oidc.authorization_endpoint'),
    token: settings.get('oidc.token_endpoint'),
    userInfo: settings.get('oidc.user_info_endpoint'),
  }),
  client: () => ({ id: settings.get('oidc.client_id'), secret: settings.get('oidc.client_secret') }),
  scopes: 'openid profile email',
});
