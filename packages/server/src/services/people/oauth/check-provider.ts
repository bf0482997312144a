import { AppError, type ErrorCode, type ProviderCheck } from '@tollgate/contract';
import type { Configuration } from 'openid-client';
import { failedDiscovery, watch } from './failed-discovery.ts';
import { type ClientCredentials, discover, exchange, library } from './openid.ts';
import type { ProviderDeps } from './types.ts';
import type { Settings } from '../../site/settings/index.ts';

type Http = ProviderDeps['http'];

/** The address, client and scopes of a provider. */
interface Question {
  address: string;
  client: ClientCredentials;
  scopes: string;
}

/** The part of a provider's document that a sign-in needs. */
const needed = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'] as const;

/**
 * Reads a provider's document and checks that it can be used to sign in. Throws the reason as text: `unreadable` if
 * there is no such document.
 */
export async function readProvider(
  http: Http,
  { address, client }: Question,
  unreadable: ErrorCode = 'sign_in_provider_unreachable',
): Promise<Configuration> {
  const witness = watch(http);
  const found = await discover(witness.http, address, client).catch((error: unknown) => {
    throw new AppError(unreadable, { reason: failedDiscovery(error, witness) }, error);
  });
  const metadata = found.serverMetadata();
  const missing: string[] = needed.filter((name) => !/^https?:\/\//.test(metadata[name] ?? ''));
  const flows = metadata.response_types_supported;
  if (flows && !flows.includes('code')) missing.push('response_types_supported: code');
  if (missing.length > 0) {
    throw new AppError('sign_in_provider_incomplete', { url: witness.url, missing: missing.join(', ') });
  }
  return found;
}

/** Whether the provider knows the client: it checks the secret before it checks the code, which is invalid here. */
async function tryClient(found: Configuration, redirectUri: string): Promise<ProviderCheck['client']> {
  const { randomPKCECodeVerifier, ResponseBodyError } = await library();
  try {
    const round = { state: 'a-trial', nonce: '', verifier: randomPKCECodeVerifier(), redirectUri };
    await exchange(found, round, { code: 'a-trial', issuer: found.serverMetadata().issuer });
    return 'unknown';
  } catch (error) {
    if (!(error instanceof ResponseBodyError)) {
      const status = error instanceof Error && error.cause instanceof Response ? error.cause.status : 0;
      return status === 401 ? 'refused' : 'unknown';
    }
    if (error.error === 'invalid_client' || error.error === 'unauthorized_client') return 'refused';
    return error.error === 'invalid_grant' ? 'accepted' : 'unknown';
  }
}

/** The provider found at an address. `redirectUri` is the address to which its page redirects. */
export async function checkProvider(
  http: Http,
  question: Question,
  redirectUri: string,
): Promise<ProviderCheck> {
  // The document does not depend on the client; the library requires one.
  const someone = { id: question.client.id || 'a-trial', secret: question.client.secret || 'a-trial' };
  const found = await readProvider(http, { ...question, client: someone });
  const metadata = found.serverMetadata();
  const { scopes_supported: listed } = metadata;
  const { id, secret } = question.client;
  return {
    issuer: metadata.issuer,
    authorization_endpoint: metadata.authorization_endpoint ?? '',
    token_endpoint: metadata.token_endpoint ?? '',
    userinfo_endpoint: metadata.userinfo_endpoint ?? '',
    scopes_unknown: listed ? question.scopes.split(' ').filter((scope) => !listed.includes(scope)) : [],
    client: id !== '' && secret !== '' ? await tryClient(found, redirectUri) : 'unknown',
  };
}

interface OidcCheckDeps {
  http: ProviderDeps['http'];
  settings: Pick<Settings, 'get'>;
}

/**
 * Checks the built-in OpenID provider before a setting is saved that uses it: another address of its document, or the
 * toggle. Throws the reason as text; other settings pass.
 */
export const createOidcCheck =
  ({ http, settings }: OidcCheckDeps) =>
  async (key: string, value: string): Promise<void> => {
    const address = addressToAsk(settings, key, value.trim());
    // Invalid addresses are refused where they are saved.
    if (!/^https?:\/\//.test(address)) return;
    // The document does not depend on the client; the library requires one.
    const client = { id: 'a-trial', secret: 'a-trial' };
    await readProvider(http, { address, client, scopes: '' }, 'oidc_discovery_failed');
  };

/** The new address of the document; '' if the saved settings do not change it. */
function addressToAsk(settings: OidcCheckDeps['settings'], key: string, value: string): string {
  const stored = settings.get('oidc.well_known');
  if (key === 'oidc.well_known') return value === stored ? '' : value;
  const isOpened = key === 'oidc.enabled' && value === 'true' && !settings.get('oidc.enabled');
  return isOpened ? stored : '';
}
