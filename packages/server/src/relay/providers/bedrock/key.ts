import type { Channel } from '../../model/channel.ts';
import { RelayError } from '../../model/relay-error.ts';

/** What a channel's key is made of: keys that sign, or an API key of Bedrock's own. */
export type BedrockKey =
  | { kind: 'signing'; accessKeyId: string; secretAccessKey: string; sessionToken: string; region: string }
  | { kind: 'bearer'; apiKey: string; region: string };

/** The form of the key, for the console. */
export const keyForms = 'AccessKey|SecretKey|Region, or APIKey|Region';

/** Becomes part of an address, so nothing but a region may stand there. */
const regionForm = /^[a-z]{2,4}(-[a-z]+){1,3}-\d{1,2}$/;

const badKey = (): RelayError =>
  new RelayError({
    status: 401,
    code: 'invalid_channel_key',
    message: `the key of a Bedrock channel has the form ${keyForms}, e.g. with us-east-1 as its region`,
    blame: 'channel',
  });

/** Reads `AccessKey|SecretKey|Region`, the same with a session token behind, or `APIKey|Region`. Throws RelayError. */
export function readKey({ key }: Pick<Channel, 'key'>): BedrockKey {
  const parts = key.split('|').map((part) => part.trim());
  const [first = '', second = '', third = '', fourth] = parts;
  if (parts.some((part) => part === '')) throw badKey();
  if (parts.length === 2 && regionForm.test(second)) return { kind: 'bearer', apiKey: first, region: second };
  if (parts.length < 3 || parts.length > 4 || !regionForm.test(third)) throw badKey();
  return {
    kind: 'signing',
    accessKeyId: first,
    secretAccessKey: second,
    region: third,
    sessionToken: fourth ?? '',
  };
}

/** The parts of a key that nobody may read; the region is no secret. */
export function secretsIn(channel: Pick<Channel, 'key'>): readonly string[] {
  const key = readKey(channel);
  if (key.kind === 'bearer') return [key.apiKey];
  return [key.accessKeyId, key.secretAccessKey, ...(key.sessionToken === '' ? [] : [key.sessionToken])];
}
