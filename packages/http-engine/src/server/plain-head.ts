import type { IncomingHttpHeaders } from 'node:http';
import { cleanLines, nameInLowerCase, unpadded } from '../header-text.ts';

/** The head of a plain request. */
export interface PlainHead {
  /** Path and query as the caller sent them. */
  url: string;
  /** Names are in lower case; none occurs twice. */
  headers: IncomingHttpHeaders;
  /** Bytes of the body. */
  length: number;
  /** True if the connection closes after the answer. */
  isLast: boolean;
}

const firstLineEnd = ' HTTP/1.1';
const method = 'POST ';
/** Visible ASCII without a blank. */
const target = /^\/[\x21-\x7e]*$/;
const lengthDigits = /^\d{1,15}$/;

/**
 * Parses the head of a plain request: a POST of HTTP/1.1 with one length and no other header that affects the end of
 * its body or the life of the connection. Undefined for every other request, including an invalid one: Node's own
 * parser handles those and refuses errors. A head that two parsers could read differently is therefore never accepted
 * here (RFC 9112 section 11).
 *
 * `text` is the head as Latin-1, including the CRLF of its last line.
 */
export function readPlainHead(text: string): PlainHead | undefined {
  if (!text.startsWith(method) || !cleanLines.test(text)) return undefined;
  // Each CR has its LF, as was tested; one character is found much faster than two.
  const lineEnd = text.indexOf('\r');
  if (!text.endsWith(firstLineEnd, lineEnd)) return undefined;
  const url = text.slice(method.length, lineEnd - firstLineEnd.length);
  if (!target.test(url)) return undefined;
  return readFields(text, url, lineEnd + 2);
}

function readFields(text: string, url: string, from: number): PlainHead | undefined {
  const headers: IncomingHttpHeaders = {};
  for (let at = from; at < text.length;) {
    const lineEnd = text.indexOf('\r', at);
    const colon = text.indexOf(':', at);
    if (colon < 0 || colon > lineEnd) return undefined;
    const name = nameInLowerCase(text.slice(at, colon));
    // `__proto__` would change the prototype of the headers.
    if (name === undefined || name === '__proto__' || Object.hasOwn(headers, name)) return undefined;
    headers[name] = unpadded(text, colon + 1, lineEnd);
    at = lineEnd + 2;
  }
  return plainHeadOf(url, headers);
}

function plainHeadOf(url: string, headers: IncomingHttpHeaders): PlainHead | undefined {
  const length = headers['content-length'];
  const connection = headers.connection?.toLowerCase();
  const isPlain =
    length !== undefined &&
    lengthDigits.test(length) &&
    headers.host !== undefined &&
    headers['transfer-encoding'] === undefined &&
    headers.upgrade === undefined &&
    headers.expect === undefined &&
    headers['content-encoding'] === undefined &&
    // Node's parser applies this header to the connection, as old callers intended.
    headers['proxy-connection'] === undefined &&
    (connection === undefined || connection === 'keep-alive' || connection === 'close');
  return isPlain ? { url, headers, length: Number(length), isLast: connection === 'close' } : undefined;
}
