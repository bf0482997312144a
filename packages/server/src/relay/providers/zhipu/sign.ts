import { type Channel, refuse, type SendTools, type UpstreamCall } from '../../types/index.ts';

/** A signature is good for so long, and given up a while before. */
const lifeMs = 24 * 60 * 60_000;
const marginMs = 60 * 60_000;

/** The two halves of a key, `id.secret`. */
export function readKey({ key }: Pick<Channel, 'key'>): { id: string; secret: string } {
  const [id = '', secret = '', ...rest] = key.trim().split('.');
  if (id === '' || secret === '' || rest.length > 0) throw refuse('key_form', { form: 'id.secret' });
  return { id, secret };
}

/** The call with a word that its key has signed (a JWT with times in ms), which stands in the header by itself. */
export async function signCall(
  call: UpstreamCall,
  channel: Channel,
  tools: SendTools,
): Promise<UpstreamCall> {
  const token = await tools.token('zhipu', () => sign(channel, tools.nowMs()));
  call.secrets.push(token);
  return { ...call, headers: { ...call.headers, authorization: token } };
}

async function sign(channel: Channel, nowMs: number): Promise<{ value: string; expiresAtMs: number }> {
  const { id, secret } = readKey(channel);
  const { SignJWT } = await import('jose');
  const value = await new SignJWT({ api_key: id, exp: nowMs + lifeMs, timestamp: nowMs })
    .setProtectedHeader({ alg: 'HS256', sign_type: 'SIGN' })
    .sign(Buffer.from(secret));
  return { value, expiresAtMs: nowMs + lifeMs - marginMs };
}
