import { cleanLines, nameInLowerCase, unpadded } from '../header-text.ts';
import { BadAnswer } from './faults.ts';
import type { AnswerHeaders } from './types.ts';

/** The end of an answer's body: after a number of bytes, after its last chunk, or at the end of the connection. */
export type BodyEnd = { kind: 'length'; bytes: number } | { kind: 'chunked' } | { kind: 'close' };

/** The parsed head of an answer. */
export interface AnswerHead {
  status: number;
  headers: AnswerHeaders;
  end: BodyEnd;
  /** The time that the connection may wait for its next call, in ms; 0 if it must not be used again. */
  keepMs: number;
}

/** The time that an idle connection is kept if the server names none. */
const keepMs = 30_000;
/** The longest time that an idle connection is kept, for any time that the server names. */
const maxKeepMs = 600_000;
/** The connection is closed this much before the time that the server names, so that no call meets its close. */
const keepMarginMs = 1_000;

/** The version's last digit is at 7, the status from 9 on. */
const firstLine = /^HTTP\/1\.[01] [1-9]\d\d(?: |\r)/;
const digits = /^\d+$/;
const tabbedCoding = /\r\ntransfer-encoding:[^\r]*\t/i;

/** Reads a head, given as latin1 text up to and with the CRLF of its last line. Throws BadAnswer. */
export function readHead(text: string): AnswerHead {
  // Header values are passed on to callers.
  if (!cleanLines.test(text)) throw new BadAnswer('a character that must not be in a head');
  if (!firstLine.test(text)) throw new BadAnswer('its first line');
  const isHttp10 = text[7] === '0';
  const status = Number(text.slice(9, 12));
  const headers = readFields(text, text.indexOf('\r') + 2);
  // Some parsers do not accept a tab as a blank here, and read the chunks as the body.
  if (headers['transfer-encoding'] !== undefined && tabbedCoding.test(text))
    throw new BadAnswer('a tab in a transfer coding');
  const end = bodyEnd(status, headers);
  return {
    status,
    headers,
    end,
    keepMs: end.kind === 'close' ? 0 : keepAliveMsOf(isHttp10, status, headers),
  };
}

function readFields(text: string, from: number): AnswerHeaders {
  const headers: AnswerHeaders = {};
  for (let at = from; at < text.length;) {
    // Each CR has its LF, as was tested; one character is found much faster than two.
    const lineEnd = text.indexOf('\r', at);
    const colon = text.indexOf(':', at);
    if (colon < 0 || colon > lineEnd) throw new BadAnswer('a header without a colon');
    const name = nameInLowerCase(text.slice(at, colon));
    // A blank before the colon, or at the start of a line that continues another line. Both have been used to hide
    // headers from checks.
    if (name === undefined) throw new BadAnswer('the name of a header');
    const value = unpadded(text, colon + 1, lineEnd);
    const known = headers[name];
    // A name such as `constructor` exists on every object, and is not yet a header.
    if (known === undefined || !Object.hasOwn(headers, name)) headers[name] = value;
    else if (Array.isArray(known)) known.push(value);
    else headers[name] = [known, value];
    at = lineEnd + 2;
  }
  return headers;
}

/**
 * RFC 9112, 6.3. The headers that determine the end of the body must be valid even if there is no body. An answer with
 * a length and a coding is refused: llhttp reads it as an answer without an end, other parsers by its chunks.
 */
function bodyEnd(status: number, headers: AnswerHeaders): BodyEnd {
  const coding = headers['transfer-encoding'];
  const bytes = parseLength(headers['content-length']);
  if (coding !== undefined && bytes >= 0) throw new BadAnswer('two ends of its body');
  const isChunked = typeof coding === 'string' && coding.toLowerCase() === 'chunked';
  if (coding !== undefined && !isChunked) throw new BadAnswer('a transfer coding that we did not ask for');
  if (status < 200 || status === 204 || status === 304) return { kind: 'length', bytes: 0 };
  if (isChunked) return { kind: 'chunked' };
  return bytes < 0 ? { kind: 'close' } : { kind: 'length', bytes };
}

/** −1 without a length. A length that is given twice is refused, even if both are the same, as in llhttp. */
function parseLength(value: string | string[] | undefined): number {
  if (value === undefined) return -1;
  const bytes = Number(value);
  if (typeof value !== 'string' || !digits.test(value) || !Number.isSafeInteger(bytes))
    throw new BadAnswer('its length');
  return bytes;
}

function keepAliveMsOf(isHttp10: boolean, status: number, headers: AnswerHeaders): number {
  const connection = headers['connection'];
  if (!staysOpen(connection, isHttp10)) return 0;
  // A length without a body, or chunks in a version without chunks, may mean more bytes than are read.
  const coding = headers['transfer-encoding'];
  const length = headers['content-length'];
  if (coding !== undefined && isHttp10) return 0;
  const hasNoBody = status === 204 || status === 304;
  if (hasNoBody && (coding !== undefined || (length !== undefined && length !== '0'))) return 0;
  const hint = headers['keep-alive'];
  const seconds = hint && /(?:^|[,;\s])timeout\s*=\s*(\d+)/i.exec(String(hint))?.[1];
  if (!seconds) return keepMs;
  return Math.max(0, Math.min(Number(seconds) * 1_000 - keepMarginMs, maxKeepMs));
}

function staysOpen(connection: string | string[] | undefined, isHttp10: boolean): boolean {
  if (connection === undefined || connection === 'keep-alive') return !isHttp10 || connection !== undefined;
  const options = String(connection)
    .toLowerCase()
    .split(/[\s,]+/);
  return !options.includes('close') && (!isHttp10 || options.includes('keep-alive'));
}
