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
  /** The address that exchanges its signatures for tokens. */
  tokenUri: string;
}

/** The address in Google's key files. */
const defaultTokenUri = 'https://oauth2.googleapis.com/token';

/** Hosts at which Google issues tokens; exact names, because anyone can register a name under some of its domains. */
const tokenHosts = new Set(['oauth2.googleapis.com', 'www.googleapis.com', 'accounts.google.com']);

/** The channel cannot be used with its key: its operator must act, and another channel may answer. */
export const badKey = (detail: Words, cause?: unknown): RelayError =>
  refuse('vertex_key_unusable', { detail }, { cause });

/** An API key (express mode) is one word; a service account's key is the JSON text of its file. */
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
 * The key file names the address that receives its signature. A key from another source could name an address of its
 * author and collect signatures that Google accepts, or make this process call addresses inside its network. So the
 * address must be one of Google's, or of the host in the channel's base address: this host gets the token with every
 * call anyway.
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
  // Google's messages about a model often contain the project's name.
  const named = [file?.private_key, file?.private_key_id, file?.client_email, file?.project_id];
  const parts = named.map(textOf).filter((part) => part !== '');
  return [channel.key, ...parts];
}
