import type { Words } from '@tollgate/contract';
import { filledWords, vertexKeyFaults } from '@tollgate/contract/relay-errors';
import { type Channel, type RelayError, refuse } from '../../types/index.ts';
import { isObject, type JsonObject, textOf, parseObject } from '../../../lib/json.ts';

/** A service account of Google Cloud, from its key file. */
export interface ServiceAccount {
  projectId: string;
  email: string;
  privateKey: string;
  privateKeyId: string;
  /** Where its signatures are exchanged for tokens. */
  tokenUri: string;
}

/** Where Google's key files send their owners. */
const defaultTokenUri = 'https://oauth2.googleapis.com/token';

/** Hosts at which Google issues tokens; exact names, because anybody can have a name under some of its domains. */
const tokenHosts = new Set(['oauth2.googleapis.com', 'www.googleapis.com', 'accounts.google.com']);

/** The channel cannot be used with the key it has: its operator has to act, and another channel may answer. */
export const badKey = (detail: Words, cause?: unknown): RelayError =>
  refuse('vertex_key_unusable', { detail }, { cause });

/** An API key (express mode) is a word; a service account's key is the JSON text of its file. */
export const isAccountKey = ({ key }: Pick<Channel, 'key'>): boolean => key.trimStart().startsWith('{');

/**
 * The service account in a channel's key. Throws RelayError (the channel is at fault) that names the missing part and
 * repeats nothing of the key.
 */
export function readAccount({ key, baseUrl }: Pick<Channel, 'key' | 'baseUrl'>): ServiceAccount {
  const file = parseObject(key);
  if (!isObject(file)) throw badKey(vertexKeyFaults.malformed);
  return {
    projectId: required(file, 'project_id'),
    email: required(file, 'client_email'),
    privateKey: required(file, 'private_key'),
    privateKeyId: textOf(file.private_key_id),
    tokenUri: checkedTokenUri(textOf(file.token_uri) || defaultTokenUri, baseUrl),
  };
}

function required(file: JsonObject, field: string): string {
  const value = textOf(file[field]);
  if (value === '') throw badKey(filledWords(vertexKeyFaults.field_missing, { field }));
  return value;
}

/**
 * The key file names the address that its signature is sent to. A key from elsewhere could name one of the operator's
 * own, and gather signatures that Google takes, or let this process knock at addresses inside its network. So the
 * address must be one of Google's, or of the very host that the channel's base address names: that one gets the token
 * with every call anyway.
 */
function checkedTokenUri(tokenUri: string, baseUrl: string): string {
  const url = URL.parse(tokenUri);
  const isGoogle =
    url !== null && url.protocol === 'https:' && url.port === '' && tokenHosts.has(url.hostname);
  const isOwn = url !== null && url.origin !== 'null' && url.origin === URL.parse(baseUrl)?.origin;
  if (!isGoogle && !isOwn) throw badKey(vertexKeyFaults.foreign_token_uri);
  return tokenUri;
}

/** Secrets that must never reach a caller of this channel, even if an upstream repeats them. */
export function secretsOf(channel: Channel): string[] {
  const file = isAccountKey(channel) ? parseObject(channel.key) : undefined;
  // Google's words about a model often name the project.
  const named = [file?.private_key, file?.private_key_id, file?.client_email, file?.project_id];
  const parts = named.map(textOf).filter((part) => part !== '');
  return [channel.key, ...parts];
}
