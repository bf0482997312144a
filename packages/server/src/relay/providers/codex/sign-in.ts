import { counter } from '@tollgate/contract';
import { upstreamFailure } from '../../families/openai/index.ts';
import { isObject, parseObject, textOf } from '../../../lib/json.ts';
import {
  type Channel,
  type IssuedToken,
  type RelayError,
  refuse,
  type SendTools,
  type UpstreamCall,
} from '../../types/index.ts';
import { readLogin, renewedKey, secretsIn, requireTokenUri } from './login.ts';

/** The client id of these logins at OpenAI; a renewal needs it. */
const clientId = 'app_EMoamEEZ73f0CkXaXp7hrann';
/** A login is renewed this long before its end, so that it does not end during a call. */
const marginMs = 5 * 60_000;
/** Refresh interval of a login without an expiry. */
const recheckMs = 60 * 60_000;

/** The call with the login of the channel's account. */
export async function signIn(call: UpstreamCall, channel: Channel, tools: SendTools): Promise<UpstreamCall> {
  const access = await tools.token('codex', (refused) => requestAccess(channel, tools, refused));
  call.secrets.push(access);
  const { account } = readLogin(channel.key);
  return {
    ...call,
    headers: {
      ...call.headers,
      authorization: `Bearer ${access}`,
      ...(account !== '' && { 'chatgpt-account-id': account }),
    },
  };
}

/** The access token of a login, renewed if it ends soon or was refused. */
async function requestAccess(
  channel: Channel,
  tools: SendTools,
  refused: string | undefined,
): Promise<IssuedToken> {
  const isGood = (key: string): boolean => {
    const { access, expiresAtMs } = readLogin(key);
    if (access === '' || access === refused) return false;
    return expiresAtMs === 0 || expiresAtMs - marginMs > tools.nowMs();
  };
  const key = isGood(channel.key)
    ? channel.key
    : await tools.renewKey(isGood, (stored) => renew(stored, channel, tools));
  const { access, expiresAtMs } = readLogin(key);
  // The token becomes a header unchanged.
  if (!/^[\x21-\x7e]+$/.test(access)) throw refuse('answer_other_kind');
  return {
    value: access,
    expiresAtMs: expiresAtMs === 0 ? tools.nowMs() + recheckMs : expiresAtMs - marginMs,
  };
}

/**
 * Renews a login. Throws RelayError with blame on the channel: refused (401) permanently, or not possible at present.
 */
async function renew(key: string, channel: Channel, tools: SendTools): Promise<string> {
  const { refresh } = readLogin(key);
  if (refresh === '') throw refusal(401, { error: 'refresh_token missing' }, []);
  const query = { grant_type: 'refresh_token', refresh_token: refresh, client_id: clientId };
  const { status, body } = await tools.ask({
    method: 'POST',
    url: requireTokenUri({ key, baseUrl: channel.baseUrl }),
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: Buffer.from(new URLSearchParams(query).toString()),
  });
  const answer = parseObject(body) ?? {};
  if (status !== 200) throw refusal(status, answer, secretsIn(key));
  if (textOf(answer.access_token) === '') throw refuse('answer_other_kind');
  const nowMs = tools.nowMs();
  const seconds = counter(answer.expires_in);
  return renewedKey(key, answer, seconds > 0 ? nowMs + seconds * 1_000 : 0, nowMs);
}

/** OpenAI's reason is an object, OAuth's a code and a sentence. */
function refusal(
  status: number,
  { error, error_description: words }: Record<string, unknown>,
  secrets: readonly string[],
): RelayError {
  const parts = isObject(error) ? [error.code, error.message] : [error, words];
  const reported = parts.filter((word) => typeof word === 'string').join(': ');
  const isKey = status === 400 || status === 401 || status === 403;
  const shown = status === 429 || status >= 500 ? status : 502;
  return upstreamFailure(isKey ? 401 : shown, reported, secrets).copy({ blame: 'channel' });
}
