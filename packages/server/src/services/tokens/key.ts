import type { IncomingHttpHeaders } from 'node:http';
import { randomText } from '../../lib/random.ts';

/** Characters of a key behind its `sk-`. */
export const keyLength = 48;

/** A new key, without the `sk-`. */
export const newKey = (): string => randomText(keyLength);

/** The characters of a key that lists may show. */
export const keyHint = (key: string): string => `${key.slice(0, 4)}…${key.slice(-4)}`;

/** A key in refusals, as the original masks it: `sk-abc***xyz` (wire-facts 2.3). */
export const maskedKey = (key: string): string => `sk-${key.slice(0, 3)}***${key.slice(-3)}`;

/** What a caller's credential says. */
export interface ParsedKey {
  /** Without the `sk-`; '' for none. */
  key: string;
  /** What stands behind a further dash: an administrator's choice of channel; '' for none. */
  pin: string;
}

/** Takes apart `Bearer sk-KEY-PIN`; `Bearer` and `sk-` may be absent (wire-facts 2.3). */
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

const isGeminiPath = (path: string): boolean =>
  path.startsWith('/v1beta/models') ||
  path.startsWith('/v1beta/openai/models') ||
  path === '/v1/models' ||
  path.startsWith('/v1/models/');

/**
 * The credential of a relay call as the caller sent it, '' for none, wherever its kind of client puts it
 * (wire-facts 2.3). One place for all routes, so that no carrier escapes a check (security.md B11).
 * `path` is without the query; `query` with or without its question mark.
 */
export function readCredential(path: string, query: string, headers: IncomingHttpHeaders): string {
  const authorization = headers.authorization ?? '';
  if (
    path.includes('/v1/messages') ||
    (path.startsWith('/v1/models') && headers['anthropic-version'] !== undefined)
  ) {
    return one(headers['x-api-key']) || authorization;
  }
  if (isGeminiPath(path)) {
    return one(headers['x-goog-api-key']) || authorization || new URLSearchParams(query).get('key') || '';
  }
  if (/(^|\/)mj\//.test(path) && (authorization === '' || authorization === 'midjourney-proxy')) {
    return one(headers['mj-api-secret']);
  }
  const protocols = headers['sec-websocket-protocol'];
  if (protocols !== undefined) return socketKey(protocols) || authorization;
  return authorization;
}
