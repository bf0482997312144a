import { type Channel, type RelayError, refuse } from '../../types/index.ts';

/** The parts of a channel's key: signing keys, or an API key of Bedrock. */
export type BedrockKey =
  | { kind: 'signing'; accessKeyId: string; secretAccessKey: string; sessionToken: string; region: string }
  | { kind: 'bearer'; apiKey: string; region: string };

/** The form of the key, for the console. */
export const keyForms = {
  zh: 'AccessKey|SecretKey|Region，或 APIKey|Region',
  en: 'AccessKey|SecretKey|Region, or APIKey|Region',
};

/** Becomes part of an address, so only a region is accepted. */
const regionForm = /^[a-z]{2,4}(-[a-z]+){1,3}-\d{1,2}$/;

const badKey = (): RelayError => refuse('bedrock_key_malformed');

/**
 * Reads `AccessKey|SecretKey|Region`, the same with a session token at the end, or `APIKey|Region`. Throws RelayError.
 */
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

/** The secret parts of a key; the region is not secret. */
export function secretsIn(channel: Pick<Channel, 'key'>): readonly string[] {
  const key = readKey(channel);
  if (key.kind === 'bearer') return [key.apiKey];
  return [key.accessKeyId, key.secretAccessKey, ...(key.sessionToken === '' ? [] : [key.sessionToken])];
}
