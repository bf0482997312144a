import { AppError, secretMask } from '@tollgate/contract';
import { sha256 } from '../../../lib/hash.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import type { Sealer, SealPlace } from '../../../lib/seal.ts';
import { holdsSecret } from '../../../relay/types/index.ts';
import { readJsonObject } from './parse.ts';
import type { ChannelRow } from './types.ts';

/** The headers of a channel as stored: `header_override` has a mask for each secret, and these are sealed together. */
type HeaderColumns = Pick<ChannelRow, 'header_override' | 'header_secrets_sealed'>;

/** Seal place of the secrets among a channel's headers. */
export const headersPlace = (id: number): SealPlace => ({ column: 'channels.header_secrets', row: id });

/** True for a header whose value is a secret. A template, such as `Bearer {api_key}`, is none. */
const isSecret = ([name, value]: [string, Json | undefined]): boolean =>
  holdsSecret(name) && plainText(value) !== '' && !/^(?:[a-z]+ )?\{[^{}]*\}$/i.test(plainText(value).trim());

const plainText = (value: Json | undefined): string =>
  typeof value === 'string' || typeof value === 'number' ? `${value}` : '';

const isMask = (value: Json | undefined): boolean =>
  typeof value === 'string' && value.startsWith(secretMask);

/** Masks of different secrets differ, so that a change of a secret is visible. */
const maskOf = (value: Json | undefined): Json =>
  isMask(value) ? value! : `${secretMask}${sha256(plainText(value)).slice(0, 4)}`;

const secretsIn = (headers: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(headers).filter(isSecret));

/** A `header_override` as answers show it; '' for a text that is no JSON object, which may have secrets anywhere. */
export function maskedHeaders(text: string): string {
  const headers = readJsonObject(text);
  if (!headers) return '';
  const secrets = Object.entries(secretsIn(headers));
  if (secrets.length === 0) return text;
  return JSON.stringify({
    ...headers,
    ...Object.fromEntries(secrets.map(([name, value]) => [name, maskOf(value)])),
  });
}

/** True if a `header_override` as shown has masks: the channel has, or keeps, a stored secret. */
export const hasMaskedHeaders = (text: string): boolean =>
  Object.values(readJsonObject(text) ?? {}).some(isMask);

/** The secrets among a channel's headers, by name. Throws if they were sealed for another channel or key. */
export function openHeaderSecrets(sealer: Sealer, row: HeaderColumns & { id: number }): JsonObject {
  // A row of a former version has its secrets in clear text.
  const plain = Object.entries(readJsonObject(row.header_override) ?? {}).filter(
    (header) => isSecret(header) && !isMask(header[1]),
  );
  const sealed = sealer.open(row.header_secrets_sealed ?? '', headersPlace(row.id));
  return { ...Object.fromEntries(plain), ...readJsonObject(sealed) };
}

/**
 * A submitted `header_override` in its stored form. A mask of the stored headers keeps its secret. Throws
 * `channel_key_unreadable` if a kept secret cannot be decrypted.
 */
export function sealedHeaders(
  sealer: Sealer,
  id: number,
  text: string,
  stored: HeaderColumns = { header_override: '', header_secrets_sealed: null },
): HeaderColumns {
  const header_override = maskedHeaders(text);
  const secrets = secretsIn(readJsonObject(text) ?? {});
  const names = Object.keys(secrets);
  if (names.length === 0) return { header_override, header_secrets_sealed: null };
  const isKept = names.every((name) => isMask(secrets[name]));
  const before = secretsIn(readJsonObject(stored.header_override) ?? {});
  if (isKept && JSON.stringify(before) === JSON.stringify(secrets))
    return { header_override, header_secrets_sealed: stored.header_secrets_sealed };
  const known = names.some((name) => isMask(secrets[name])) ? openStored(sealer, { ...stored, id }) : {};
  const plain = names.map((name) => [name, isMask(secrets[name]) ? (known[name] ?? '') : secrets[name]]);
  const sealed = sealer.seal(JSON.stringify(Object.fromEntries(plain)), headersPlace(id));
  return { header_override, header_secrets_sealed: sealed };
}

function openStored(sealer: Sealer, row: HeaderColumns & { id: number }): JsonObject {
  try {
    return openHeaderSecrets(sealer, row);
  } catch (cause) {
    throw new AppError('channel_key_unreadable', {}, cause);
  }
}

/** The stored form of headers of a former version, whose secrets are in clear text; null if there are none. */
export function sealFormerHeaders(sealer: Sealer, row: HeaderColumns & { id: number }): HeaderColumns | null {
  if (maskedHeaders(row.header_override) === row.header_override) return null;
  return sealedHeaders(sealer, row.id, row.header_override, row);
}

/** A stored `header_override` with its secrets in clear text. */
export const withHeaderSecrets = (text: string, secrets: JsonObject): string =>
  Object.keys(secrets).length === 0 ? text : JSON.stringify({ ...readJsonObject(text), ...secrets });
