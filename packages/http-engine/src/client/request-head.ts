import type { Readable } from 'node:stream';
import { forbiddenInValue, headerToken } from '../header-text.ts';
import type { Request, Target } from './types.ts';

/** The sent form of a request. */
export interface Written {
  head: string;
  body: Buffer | undefined;
  /** A body that is sent as it arrives, in chunks if its length is unknown. */
  stream?: { source: Readable; isChunked: boolean };
  /** The call's own `host` header; '' without one. */
  host: string;
  /** The connection must not be used again. */
  isLast: boolean;
}

/** The effect of one of our or an operator's headers on sending. */
type Kind = 'plain' | 'host' | 'connection' | 'content-length' | 'accept-encoding' | 'refused';

const kinds: Record<string, Kind> = {
  host: 'host',
  connection: 'connection',
  'content-length': 'content-length',
  'accept-encoding': 'accept-encoding',
  // These headers describe how a request is sent, and would be false.
  'transfer-encoding': 'refused',
  'keep-alive': 'refused',
  upgrade: 'refused',
  expect: 'refused',
};

function classifyHeader(name: string): Kind {
  if (!headerToken.test(name)) throw new TypeError(`not the name of a header: ${JSON.stringify(name)}`);
  const lower = name.toLowerCase();
  return Object.hasOwn(kinds, lower) ? kinds[lower]! : 'plain';
}

/** Writes the bytes of a call. Throws TypeError if a header cannot be sent, or would break the request. */
export function writeRequest(request: Request, target: Target): Written {
  const { method, headers } = request;
  const source = request.body && !Buffer.isBuffer(request.body) ? request.body : undefined;
  const body = Buffer.isBuffer(request.body) && request.body.length > 0 ? request.body : undefined;
  // A server may leave the body of these requests unread and read it as the next request.
  let isLast = body !== undefined && (method === 'GET' || method === 'DELETE');
  // The answer may come before the end of such a body.
  if (source) isLast = true;
  let streamed = 'transfer-encoding: chunked';
  let fields = '';
  let host = '';
  let hasCoding = false;
  // V8 reads an object's members directly in such a loop. Headers inherit no members that it would find.
  for (const name in headers) {
    const value = headers[name]!;
    if (typeof value !== 'string' || forbiddenInValue.test(value))
      throw new TypeError(`invalid ${name} header`);
    const kind = classifyHeader(name);
    if (kind === 'host') host = value;
    else if (kind === 'connection') isLast ||= /(?:^|,)\s*close\s*(?:,|$)/i.test(value);
    else if (kind === 'content-length' && source) streamed = `content-length: ${checkDigits(value)}`;
    else if (kind === 'content-length') checkLength(value, body);
    else if (kind === 'refused') throw new TypeError(`invalid ${name} header`);
    else {
      fields += `\r\n${name}: ${value}`;
      if (kind === 'accept-encoding') hasCoding = true;
    }
  }
  // Answers are not decoded, so no coding is requested: without this header a server may compress.
  const coding = hasCoding ? '' : '\r\naccept-encoding: identity';
  const whole =
    body || method === 'POST' || method === 'PUT' ? `\r\ncontent-length: ${body?.length ?? 0}` : '';
  const length = source ? `\r\n${streamed}` : whole;
  const first = `${method} ${target.path} HTTP/1.1\r\nhost: ${host || target.host}`;
  const connection = isLast ? '\r\nconnection: close' : '\r\nconnection: keep-alive';
  const head = `${first}${connection}${coding}${fields}${length}\r\n\r\n`;
  if (!source) return { head, body, host, isLast };
  return { head, body, stream: { source, isChunked: streamed.startsWith('transfer') }, host, isLast };
}

function checkDigits(value: string): string {
  if (!/^\d{1,15}$/.test(value)) throw new TypeError('invalid content-length header');
  return value;
}

function checkLength(value: string, body: Buffer | undefined): void {
  if (value !== String(body?.length ?? 0)) throw new TypeError('the content-length header is not the length');
}
