import { describe, expect, it } from 'vitest';
import { readPlainHead } from './plain-head.ts';

const lines = (...fields: string[]): string =>
  ['POST /v1/chat HTTP/1.1', 'Host: a', ...fields].map((line) => `${line}\r\n`).join('');
const lengthIn = (...fields: string[]) => readPlainHead(lines(...fields))?.length;

describe('the head of a plain request', () => {
  it('has one length, with blanks around it or none', () => {
    expect(lengthIn('Content-Length: 3')).toBe(3);
    expect(lengthIn('content-length: 12345')).toBe(12_345);
    expect(lengthIn('Content-Length:3')).toBe(3);
    expect(lengthIn('Content-Length: \t3 ')).toBe(3);
    expect(lengthIn('X-Content-Length: 3', 'Content-Length: 33')).toBe(33);
    expect(lengthIn(`X-A: ${'b'.repeat(5_000)}`, 'Content-Length: 4')).toBe(4);
  });

  it.each([
    ['no length', []],
    ['an empty one', ['Content-Length: ']],
    ['a sign', ['Content-Length: +3']],
    ['a list', ['Content-Length: 3, 3']],
    ['two numbers', ['Content-Length: 3 3']],
    ['another base', ['Content-Length: 0x3']],
    ['more digits than a number holds', ['Content-Length: 1234567890123456']],
    ['a length that is said twice', ['Content-Length: 3', 'Content-Length: 3']],
    ['chunks behind a length', ['Content-Length: 3', 'Transfer-Encoding: chunked']],
    ['chunks before a length', ['Transfer-Encoding: chunked', 'Content-Length: 3']],
    ['a line end that is none', ['Content-Length: 3\nTransfer-Encoding: chunked']],
    ['a blank before a colon', ['Content-Length : 3']],
    ['a line that goes on', ['X-A: b', ' c', 'Content-Length: 3']],
  ])('is left to Node with %s', (_, fields) => {
    expect(readPlainHead(lines(...fields))).toBeUndefined();
  });

  it('is left to Node where the connection depends on another header than Connection', () => {
    for (const more of ['Proxy-Connection: close', 'Proxy-Connection: keep-alive', 'proxy-connection: x'])
      expect(lengthIn('Content-Length: 3', more), more).toBeUndefined();
    expect(lengthIn('Content-Length: 3', 'X-Proxy-Connection: close')).toBe(3);
  });

  it('is left to Node where it has another method or is not a head', () => {
    for (const text of [
      lines('Content-Length: 3').replace('POST', 'GET'),
      `${lines('Content-Length: 3')}X`,
      'POST',
      '\r\n',
      '',
    ])
      expect(readPlainHead(text), JSON.stringify(text)).toBeUndefined();
  });

  it('has its target, and whether the connection ends after it', () => {
    const head = readPlainHead(lines('Content-Length: 3', 'Connection: Close', 'X-A: b'));
    expect(head).toEqual({
      url: '/v1/chat',
      headers: { host: 'a', 'content-length': '3', connection: 'Close', 'x-a': 'b' },
      length: 3,
      isLast: true,
    });
  });

  it('belongs to one request: changing it changes no other one', () => {
    const [first, second] = [1, 2].map(() => readPlainHead(lines('Content-Length: 3'))!);
    first!.headers['x-a'] = 'changed';
    expect(second!.headers).toEqual({ host: 'a', 'content-length': '3' });
  });
});
