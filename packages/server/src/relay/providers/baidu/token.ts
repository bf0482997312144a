import { counter } from '@tollgate/contract';
import { parseObject, textOf } from '../../../lib/json.ts';
import {
  type Channel,
  type RelayError,
  refuse,
  type SendTools,
  type UpstreamCall,
} from '../../types/index.ts';
import { upstreamFailure } from '../../families/openai/index.ts';
import { scrub } from '../../../lib/scrub.ts';

/** A token is discarded this long before its end. */
const marginMs = 60 * 60_000;

/** The two halves of a key, `APIKey|SecretKey`. */
export function readKey({ key }: Pick<Channel, 'key'>): { id: string; secret: string } {
  const [id = '', secret = '', ...rest] = key.split('|').map((part) => part.trim());
  if (id === '' || secret === '' || rest.length > 0) throw refuse('key_form', { form: 'APIKey|SecretKey' });
  return { id, secret };
}

/** The call with the token for its key, which this API requires in the address. */
export async function withToken(
  call: UpstreamCall,
  channel: Channel,
  tools: SendTools,
): Promise<UpstreamCall> {
  const token = await tools.token('baidu', () => buyToken(channel, tools));
  call.secrets.push(token);
  return { ...call, url: `${call.url}?access_token=${encodeURIComponent(token)}` };
}

/**
 * Exchanges a key (client credentials; Baidu reads them in the address). Throws RelayError with blame on the channel if
 * the key is refused (401), or if no token is issued at present.
 */
async function buyToken(channel: Channel, tools: SendTools): Promise<{ value: string; expiresAtMs: number }> {
  const { id, secret } = readKey(channel);
  const query = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
  });
  const { status, body } = await tools.ask({
    method: 'POST',
    url: `${channel.baseUrl}/oauth/2.0/token?${query.toString()}`,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
  });
  const answer = parseObject(body) ?? {};
  const value = textOf(answer.access_token);
  if (status >= 300 || value === '')
    throw refused(status, answer.error, answer.error_description, [id, secret]);
  const lifeMs = counter(answer.expires_in) * 1_000;
  return { value, expiresAtMs: tools.nowMs() + Math.max(0, lifeMs - marginMs) };
}

function refused(status: number, code: unknown, words: unknown, secrets: readonly string[]): RelayError {
  const reported = scrub([code, words].filter((word) => typeof word === 'string').join(': '), secrets);
  const isKey = status === 400 || status === 401 || code === 'invalid_client';
  const error = upstreamFailure(isKey ? 401 : status >= 400 ? status : 502, reported, secrets);
  return error.copy({ blame: 'channel' });
}
