import { forbiddenInValue, headerToken } from '../header-text.ts';
import type { Request, Target } from './types.ts';

/** The sent form of a request. */
export interface Written {
  head: string;
  body: Buffer | undefined;
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
  const body = request.body?.length ? request.body : undefined;
  // A server may leave the body of these requests unread and read it as the next request.
  let isLast = body !== undefined && (method === 'GET' || method === 'DELETE');
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
    else if (kind === 'content-length') checkLength(value, body);
    else if (kind === 'refused') throw new TypeError(`invalid ${name} header`);
    else {
      fields += `\r\n${name}: ${value}`;
      if (kind === 'accept-encoding') hasCoding = true;
    }
  }
  // Answers are not decoded, so no coding is requested: without this header a server may compress.
  const coding = hasCoding ? '' : '\r\naccept-encoding: identity';
  const length =
    body || method === 'POST' || method === 'PUT' ? `\r\ncontent-length: ${body?.length ?? 0}` : '';
  const first = `${method} ${target.path} HTTP/1.1\r\nhost: ${host || target.host}`;
  const connection = isLast ? '\r\nconnection: close' : '\r\nconnection: keep-alive';
  return { head: `${first}${connection}${coding}${fields}${length}\r\n\r\n`, body, host, isLast };
}

function checkLength(value: string, body: Buffer | undefined): void {
  if (value !== String(body?.length ?? 0)) throw new TypeError('the content-length header is not the length');
}
