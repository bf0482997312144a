import { type Channel, refuse, type SendTools } from '../../types/index.ts';

const lifeSeconds = 1_800;
const clockSkewSeconds = 5;
/** A token is made anew so long before its end. */
const marginMs = 120_000;

/** The two parts of a key; undefined for a key that is a word of its own (`sk-…`). Throws RelayError. */
function keyPair({ key }: Pick<Channel, 'key'>): { access: string; secret: string } | undefined {
  if (!key.includes('|')) return undefined;
  const [access = '', secret = '', ...rest] = key.split('|').map((part) => part.trim());
  if (access === '' || secret === '' || rest.length > 0)
    throw refuse('key_form', { form: 'AccessKey|SecretKey' });
  return { access, secret };
}

/** Kling's bearer: a token signed with the secret key, valid for half an hour, or the key itself. */
export function bearerOf(channel: Channel, tools: SendTools): Promise<string> {
  const pair = keyPair(channel);
  if (!pair) return Promise.resolve(channel.key);
  return tools.token('kling', async () => {
    const seconds = Math.floor(tools.nowMs() / 1_000);
    const { SignJWT } = await import('jose');
    const value = await new SignJWT()
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(pair.access)
      .setExpirationTime(seconds + lifeSeconds)
      .setNotBefore(seconds - clockSkewSeconds)
      .sign(new TextEncoder().encode(pair.secret));
    return { value, expiresAtMs: (seconds + lifeSeconds) * 1_000 - marginMs };
  });
}
