import type { IncomingHttpHeaders } from 'node:http';
import { randomText } from '../../../lib/random.ts';

/** Characters of a key behind its `sk-`. */
export const keyLength = 48;

/** A new key, without the `sk-`. */
export const newKey = (): string => randomText(keyLength);

/** The characters of a key that lists may show. */
export const keyHint = (key: string): string => `${key.slice(0, 4)}…${key.slice(-4)}`;

/** A key in refusals, as the original masks it: `sk-abc***xyz` (docs/compatibility.md#relay-keys). */
export const maskedKey = (key: string): string => `sk-${key.slice(0, 3)}***${key.slice(-3)}`;

/** What a caller's credential says. */
export interface ParsedKey {
  /** Without the `sk-`; '' for none. */
  key: string;
  /** What stands behind a further dash: an administrator's choice of channel; '' for none. */
  pin: string;
}

/** Takes apart `Bearer sk-KEY-PIN`; `Bearer` and `sk-` may be absent (docs/compatibility.md#relay-keys). */
export function parseKey(raw: string): ParsedKey {
  let text = raw.replace(/^\s*bearer(\s+|$)/i, '').trim();
  // Some clients put the prefix before a key that has it already.
  while (text.startsWith('sk-')) text = text.slice(3);
  const [key = '', pin = ''] = text.split('-', 2);
  return { key, pin };
}

const one = (header: string | string[] | undefined): string =>
  Array.isArray(header) ? (header[0] ?? '') : (header ?? '');

const socketKeyPrefix = 'openai-insecure-api-key.';

/** The key of a realtime socket, which browsers can only send as a sub-protocol. */
function socketKey(header: string): string {
  const entry = header
    .split(',')
    .map((each) => each.trim())
    .find((each) => each.startsWith(socketKeyPrefix));
  return entry?.slice(socketKeyPrefix.length) ?? '';
}

/** True for an Authorization that carries nothing: some clients send the scheme alone, or a fixed word. */
const isBlank = (authorization: string): boolean =>
  ['', 'bearer'].includes(authorization.trim().toLowerCase());

/**
 * The carrier that is meant for a path, where several are there: the clients of a vendor also send what their host
 * program puts into Authorization.
 */
function expected(path: string, headers: IncomingHttpHeaders): string {
  const isAnthropic =
    path.includes('/v1/messages') || (path.startsWith('/v1/') && headers['anthropic-version'] !== undefined);
  if (isAnthropic) return one(headers['x-api-key']);
  if (headers['x-goog-api-key'] !== undefined && isGooglePath(path)) return one(headers['x-goog-api-key']);
  if (/(^|\/)mj\//.test(path) && headers.authorization === 'midjourney-proxy')
    return one(headers['mj-api-secret']);
  const protocols = headers['sec-websocket-protocol'];
  return protocols === undefined ? '' : socketKey(protocols);
}

const isGooglePath = (path: string): boolean =>
  path.startsWith('/v1beta/') ||
  path.startsWith('/v1/models') ||
  path.startsWith('/upload/') ||
  path.startsWith('/ws/');

/**
 * The credential of a relay call as the caller sent it, '' for none, whatever carries it: a header of any vendor's
 * clients, the query, or a sub-protocol of a socket. One place for all routes, so that no carrier escapes a check.
 * `path` is without the query; `query` with or without its question mark.
 */
export function readCredential(path: string, query: string, headers: IncomingHttpHeaders): string {
  const meant = expected(path, headers);
  if (meant !== '') return meant;
  const authorization = headers.authorization ?? '';
  if (!isBlank(authorization)) return authorization;
  return (
    one(headers['x-api-key']) ||
    one(headers['x-goog-api-key']) ||
    one(headers['mj-api-secret']) ||
    (query === '' ? '' : (new URLSearchParams(query).get('key') ?? ''))
  );
}
