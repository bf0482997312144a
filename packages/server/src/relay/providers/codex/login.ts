import { isObject, type JsonObject, objectOf, parseObject, textOf } from '../../../lib/json.ts';
import { type Channel, refuse } from '../../types/index.ts';

/** The address at which OpenAI's own program renews its logins. */
const defaultTokenUri = 'https://auth.openai.com/oauth/token';

/** A login of a ChatGPT account, as the key of a channel. */
export interface Login {
  access: string;
  /** The refresh token; valid once. */
  refresh: string;
  /** The account that is charged; '' if unknown. */
  account: string;
  /** Unix ms; 0 if unknown. */
  expiresAtMs: number;
}

const form = '{"access_token": "…", "refresh_token": "…", "account_id": "…"}';

/** Paths of a key's members: other gateways have them at the top, OpenAI's own file has some in `tokens`. */
function parseLogin(key: string): { file: JsonObject; tokens: JsonObject } {
  const file = parseObject(key);
  if (!file) throw refuse('key_form', { form });
  return { file, tokens: isObject(file.tokens) ? file.tokens : file };
}

/** The login in a channel's key. Throws RelayError with blame on the channel if it can neither be used nor renewed. */
export function readLogin(key: string): Login {
  const { file, tokens } = parseLogin(key);
  const [access, refresh] = [textOf(tokens.access_token), textOf(tokens.refresh_token)];
  if (access === '' && refresh === '') throw refuse('key_form', { form });
  const claims = claimsOf(access);
  const reportedEnd = timeOf(file.expired ?? file.expires_at);
  return {
    access,
    refresh,
    account: textOf(tokens.account_id) || accountIn(claims) || accountIn(claimsOf(textOf(tokens.id_token))),
    expiresAtMs: reportedEnd || (typeof claims.exp === 'number' ? claims.exp * 1_000 : 0),
  };
}

/** The key with renewed tokens; its other fields remain. */
export function renewedKey(key: string, answer: JsonObject, expiresAtMs: number, nowMs: number): string {
  const { file, tokens } = parseLogin(key);
  const fresh: JsonObject = { access_token: textOf(answer.access_token) };
  // Without a new refresh token the old one stays valid.
  if (textOf(answer.refresh_token) !== '') fresh.refresh_token = textOf(answer.refresh_token);
  if (textOf(answer.id_token) !== '') fresh.id_token = textOf(answer.id_token);
  const times = {
    expired: expiresAtMs > 0 ? new Date(expiresAtMs).toISOString() : null,
    last_refresh: new Date(nowMs).toISOString(),
  };
  const { expires_at: _told, ...kept } = file;
  return JSON.stringify(
    tokens === file
      ? { ...kept, ...fresh, ...times }
      : { ...kept, tokens: { ...tokens, ...fresh }, ...times },
  );
}

/**
 * The address for renewals: OpenAI's, or the origin of the channel's address, which gets the access token with every
 * call anyway. Any other address in a key could collect logins.
 */
export function requireTokenUri({ key, baseUrl }: Pick<Channel, 'key' | 'baseUrl'>): string {
  const uri = textOf(parseLogin(key).file.token_uri) || defaultTokenUri;
  const isOwn = uri === defaultTokenUri || URL.parse(uri)?.origin === URL.parse(baseUrl)?.origin;
  if (!isOwn) throw refuse('key_form', { form });
  return uri;
}

/** Every part of a key that no caller may read. */
export function secretsIn(key: string): string[] {
  const { file, tokens } = parseLogin(key);
  const parts = [tokens.access_token, tokens.refresh_token, tokens.id_token, tokens.account_id, file.email];
  return [key, ...parts.map(textOf).filter((part) => part !== '')];
}

/** A time in the forms that programs write: ISO, or Unix seconds. */
function timeOf(value: unknown): number {
  if (typeof value === 'number') return value * 1_000;
  return typeof value === 'string' ? Date.parse(value) || 0 : 0;
}

/** Unverified claims of a token. The vendor verifies its own tokens. */
const claimsOf = (token: string): JsonObject =>
  parseObject(Buffer.from(token.split('.')[1] ?? '', 'base64url')) ?? {};

const accountIn = (claims: JsonObject): string =>
  textOf(objectOf(claims['https://api.openai.com/auth']).chatgpt_account_id);
