import { AppError, type ErrorCode, type ProviderCheck, type Words } from '@tollgate/contract';
import { type Configuration, randomPKCECodeVerifier, ResponseBodyError } from 'openid-client';
import { ForbiddenAddress } from '../../lib/outbound/address.ts';
import { type ClientCredentials, discover, exchange } from './openid.ts';
import type { ProviderDeps } from './types.ts';

type Http = ProviderDeps['http'];

/** Where to ask, as whom, and for what. */
export interface Question {
  address: string;
  client: ClientCredentials;
  scopes: string;
}

/** What a sign-in needs of a provider's document. */
const needed = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'] as const;

/** Why a document could not be read, in words that say what to look at. */
function reasonOf(error: unknown): Words {
  if (error instanceof ForbiddenAddress) {
    return { zh: '不允许访问该地址', en: 'this address must not be reached' };
  }
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof ForbiddenAddress) return reasonOf(cause);
  if (cause instanceof Response && cause.status !== 200) {
    return { zh: `对方返回 HTTP ${cause.status}`, en: `it answered with HTTP status ${cause.status}` };
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'OAUTH_PARSE_ERROR' || code === 'OAUTH_RESPONSE_IS_NOT_JSON') {
    return { zh: '对方返回的内容不是 JSON', en: 'what it answered is not JSON' };
  }
  if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') {
    return { zh: '文档中的签发者与该地址不符', en: 'its document names an issuer at another address' };
  }
  if (code.startsWith('OAUTH_')) {
    return { zh: '对方返回的内容不是 OIDC 配置', en: 'what it answered is no such document' };
  }
  return { zh: '无法连接', en: 'there was no connection' };
}

/**
 * Reads a provider's document and checks that one can sign in through it. Throws what is wrong with it in words:
 * `unreadable` when there is no such document.
 */
export async function readProvider(
  http: Http,
  { address, client }: Question,
  unreadable: ErrorCode = 'sign_in_provider_unreachable',
): Promise<Configuration> {
  const found = await discover(http, address, client).catch((error: unknown) => {
    throw new AppError(unreadable, { reason: reasonOf(error) }, error);
  });
  const metadata = found.serverMetadata();
  const missing: string[] = needed.filter((name) => !/^https?:\/\//.test(metadata[name] ?? ''));
  const flows = metadata.response_types_supported;
  if (flows && !flows.includes('code')) missing.push('response_types_supported: code');
  if (missing.length > 0) throw new AppError('sign_in_provider_incomplete', { missing: missing.join(', ') });
  return found;
}

/** Whether the provider knows the client: it refuses the secret before it looks at a code that nobody was given. */
async function tryClient(found: Configuration, redirectUri: string): Promise<ProviderCheck['client']> {
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

/** What is found at an address. `redirectUri` is where its page would lead back to. */
export async function checkProvider(
  http: Http,
  question: Question,
  redirectUri: string,
): Promise<ProviderCheck> {
  // The document is read by nobody in particular; the library only wants some client.
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
