import { describe, expect, it } from 'vitest';
import { HeadReader } from './head-reader.ts';
import { readPlainHead } from './plain-head.ts';

const lines = (...fields: string[]): string =>
  ['POST /v1/chat HTTP/1.1', 'Host: a', ...fields].map((line) => `${line}\r\n`).join('');

/** Heads that differ a little from each other: plain ones, and ones that are not ours to read. */
const heads = [
  lines('Content-Length: 3'),
  lines('Content-Length: 4'),
  lines('Content-Length: 12345'),
  lines('Content-Length:3'),
  lines('Content-Length: \t3 '),
  lines('Content-Length: '),
  lines('Content-Length: +3'),
  lines('Content-Length: 3, 3'),
  lines('Content-Length: 3 3'),
  lines('Content-Length: 0x3'),
  lines('Content-Length: 1234567890123456'),
  lines('Content-Length: 3', 'Content-Length: 3'),
  lines('Content-Length: 3', 'Transfer-Encoding: chunked'),
  lines('Transfer-Encoding: chunked', 'Content-Length: 3'),
  lines('Content-Length: 3\r\nTransfer-Encoding: chunked'),
  lines('Content-Length: 3\nTransfer-Encoding: chunked'),
  lines('Content-Length: 3', 'Connection: close'),
  lines('Content-Length: 4', 'Connection: close'),
  lines('X-A: b', 'Content-Length: 3'),
  lines('X-A: c', 'Content-Length: 3'),
  lines('X-Content-Length: 3', 'Content-Length: 33'),
  lines('content-length: 3'),
  lines(),
  lines('Content-Length: 3').replace('/v1/chat', '/v1/chats'),
  lines('Content-Length: 3').replace('POST', 'GET'),
  `${lines('Content-Length: 3')}X`,
  'POST',
  '\r\n',
  '',
];

describe('the heads of one connection', () => {
  it('are read as each would be alone, whichever came before', () => {
    for (const before of heads) {
      for (const head of heads) {
        const reader = new HeadReader();
        reader.read(before);
        // A second one that was read again must not be the reason for a third.
        for (const text of [head, before, head])
          expect(reader.read(text), JSON.stringify([before, text])).toEqual(readPlainHead(text)?.head);
      }
    }
  });

  it('that say more of the connection than Connection does are left to Node', () => {
    for (const more of ['Proxy-Connection: close', 'Proxy-Connection: keep-alive', 'proxy-connection: x'])
      expect(readPlainHead(lines('Content-Length: 3', more)), more).toBeUndefined();
    expect(readPlainHead(lines('Content-Length: 3', 'X-Proxy-Connection: close'))).toBeDefined();
  });

  it('are those of other requests: what one is told of does not change with the next', () => {
    const reader = new HeadReader();
    const first = reader.read(lines('Content-Length: 3'));
    const second = reader.read(lines('Content-Length: 45'));
    expect([first?.length, first?.headers['content-length']]).toEqual([3, '3']);
    expect([second?.length, second?.headers['content-length']]).toEqual([45, '45']);
  });

  it('are read when they are long, too', () => {
    const long = (length: number) => lines(`X-A: ${'b'.repeat(5_000)}`, `Content-Length: ${length}`);
    const reader = new HeadReader();
    expect([3, 3, 4].map((length) => reader.read(long(length))?.length)).toEqual([3, 3, 4]);
  });
});
