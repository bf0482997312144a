import { product } from '@tollgate/contract';
import type * as Client from 'openid-client';
import type { Http } from '../../../lib/outbound/http.ts';
import type { Returned, Round } from './types.ts';

/** Timeout for a provider's answers (docs/compatibility.md#third-party-sign-in). */
const timeoutMs = 5_000;
/** Documents and answers of providers are small. */
const maxAnswerBytes = 1024 * 1024;

/** The library, loaded with the first sign-in through another site. */
export const library = (): Promise<typeof Client> => import('openid-client');

type Fetch = (url: string, options: Client.CustomFetchOptions) => Promise<Response>;

/** `fetch` for the library, through the one outbound client and its address check. */
const fetchThrough =
  (http: Pick<Http, 'request'>): Fetch =>
  async (url, { method, headers, body, signal }) => {
    const given = body instanceof URLSearchParams ? body.toString() : body;
    if (given !== null && given !== undefined && typeof given !== 'string') throw new TypeError('not a text');
    const answer = await http.request(
      {
        method: method as 'GET' | 'POST',
        url,
        headers,
        ...(typeof given === 'string' && { body: Buffer.from(given) }),
        // The operator chooses the addresses: a provider may be in a private network.
        scope: 'operator',
        headersTimeoutMs: timeoutMs,
        bodyTimeoutMs: timeoutMs,
      },
      maxAnswerBytes,
      signal,
    );
    const kept = new Headers();
    for (const [name, value] of Object.entries(answer.headers)) kept.set(name, String(value));
    return new Response(answer.status === 204 ? null : new Uint8Array(answer.body), {
      status: answer.status,
      headers: kept,
    });
  };

/**
 * Removes the id token from an answer: without the provider's document neither the issuer nor the keys are known, and
 * an unchecked token must not be used.
 */
const withoutIdToken =
  (send: Fetch): Fetch =>
  async (url, options) => {
    const answer = await send(url, options);
    if (options.method !== 'POST' || !answer.ok) return answer;
    const { id_token: _unchecked, ...rest } = (await answer.json()) as Record<string, unknown>;
    return Response.json(rest);
  };

/** A site's client at a provider. */
export interface ClientCredentials {
  id: string;
  secret: string;
}

/** Providers within a private network may use http; the operator's address is used. */
const isPlain = (address: string): boolean => address.startsWith('http:');

/** Facts about a provider that are known before discovery. */
export async function configure(
  http: Pick<Http, 'request'>,
  metadata: Client.ServerMetadata & { token_endpoint: string },
  { id, secret }: ClientCredentials,
): Promise<Client.Configuration> {
  const client = await library();
  const configuration = new client.Configuration(metadata, id, secret);
  configuration[client.customFetch] = withoutIdToken(fetchThrough(http));
  if (isPlain(metadata.token_endpoint)) client.allowInsecureRequests(configuration);
  return configuration;
}

/**
 * Sends the secret in the form if the provider supports that, otherwise in the header, by its document (RFC 8414).
 */
function byWhatItTakes(client: typeof Client, secret: string): Client.ClientAuth {
  const inForm = client.ClientSecretPost(secret);
  const inHeader = client.ClientSecretBasic(secret);
  return (server, ...rest) => {
    const takes = server.token_endpoint_auth_methods_supported ?? [];
    return (takes.includes('client_secret_post') ? inForm : inHeader)(server, ...rest);
  };
}

/** A provider's own data (OpenID Connect Discovery). `address` is its issuer or the document's address. */
export async function discover(
  http: Pick<Http, 'request'>,
  address: string,
  { id, secret }: ClientCredentials,
): Promise<Client.Configuration> {
  const client = await library();
  return client.discovery(new URL(address), id, secret, byWhatItTakes(client, secret), {
    [client.customFetch]: fetchThrough(http),
    execute: isPlain(address) ? [client.allowInsecureRequests] : [],
  });
}

/** The address of the consent page. */
export async function buildPageAddress(
  configuration: Client.Configuration,
  round: Round,
  scope: string,
): Promise<string> {
  const client = await library();
  return client.buildAuthorizationUrl(configuration, {
    redirect_uri: round.redirectUri,
    scope,
    state: round.state,
    nonce: round.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(round.verifier),
    code_challenge_method: 'S256',
  }).href;
}

/** Exchanges a code for tokens; an id token is checked: signature, issuer, audience, times, nonce. */
export async function exchange(
  configuration: Client.Configuration,
  round: Round,
  { code, issuer }: Returned,
): ReturnType<typeof Client.authorizationCodeGrant> {
  const client = await library();
  const address = new URL(round.redirectUri);
  address.searchParams.set('code', code);
  address.searchParams.set('state', round.state);
  if (issuer !== '') address.searchParams.set('iss', issuer);
  return client.authorizationCodeGrant(configuration, address, {
    ...(round.verifier !== '' && { pkceCodeVerifier: round.verifier }),
    expectedState: round.state,
    ...(round.nonce !== '' && { expectedNonce: round.nonce }),
  });
}

/** Reads account data with the access token. */
export async function readJson(
  configuration: Client.Configuration,
  token: string,
  address: string,
): Promise<unknown> {
  const client = await library();
  const headers = new Headers({ accept: 'application/json', 'user-agent': product.id });
  const answer = await client.fetchProtectedResource(
    configuration,
    token,
    new URL(address),
    'GET',
    undefined,
    headers,
  );
  if (!answer.ok) throw new Error(`the provider answered ${answer.status}`);
  return answer.json();
}
