import { describe, expect, it, test } from 'vitest';
import { writeRequest } from './request-head.ts';
import type { Request, Target } from './types.ts';

const target: Target = {
  origin: 'http://vendor.example:8080',
  isSecure: false,
  hostname: 'vendor.example',
  port: 8080,
  host: 'vendor.example:8080',
  path: '/v1/chat?x=1',
  lines: { public: '', operator: '' },
};
const write = (more: Partial<Request>) =>
  writeRequest(
    { method: 'POST', headers: {}, scope: 'public', headersTimeoutMs: 0, bodyTimeoutMs: 0, ...more },
    target,
  );

describe('the head of a request', () => {
  it('has the host, keep-alive, and the length of its body', () => {
    const body = Buffer.from('{"a":"ä"}');
    expect(write({ headers: { Authorization: 'Bearer x', accept: '*/*' }, body })).toEqual({
      head: [
        'POST /v1/chat?x=1 HTTP/1.1',
        'host: vendor.example:8080',
        'connection: keep-alive',
        'accept-encoding: identity',
        'Authorization: Bearer x',
        'accept: */*',
        `content-length: ${body.length}`,
        '',
        '',
      ].join('\r\n'),
      body,
      host: '',
      isLast: false,
    });
  });

  it('has a length also without a body where one is expected', () => {
    expect(write({}).head).toContain('\r\ncontent-length: 0\r\n');
    expect(write({ method: 'PUT', body: Buffer.alloc(0) }).head).toContain('\r\ncontent-length: 0\r\n');
    expect(write({ method: 'GET' }).head).not.toContain('content-length');
    expect(write({ method: 'DELETE' }).head).not.toContain('content-length');
  });

  it('keeps a host and a transfer coding of the call, and a correct length', () => {
    const { head, host } = write({
      headers: { Host: 'a.example', 'Accept-Encoding': 'gzip', 'Content-Length': '0' },
    });
    expect(host).toBe('a.example');
    expect(head.match(/^host: .*$/gim)).toEqual(['host: a.example']);
    expect(head.match(/^accept-encoding: .*$/gim)).toEqual(['Accept-Encoding: gzip']);
    expect(head.match(/^content-length: .*$/gim)).toEqual(['content-length: 0']);
  });

  it('closes its connection where the call says so, or a server may leave the body unread', () => {
    expect(write({ headers: { connection: 'Close' } })).toMatchObject({
      isLast: true,
      head: expect.stringContaining('\r\nconnection: close\r\n') as unknown,
    });
    expect(write({ headers: { connection: 'keep-alive' } }).isLast).toBe(false);
    expect(write({ method: 'DELETE', body: Buffer.from('x') }).isLast).toBe(true);
  });

  it('has every byte of latin1 as it is', () => {
    expect(write({ headers: { 'x-name': 'caf\xe9\t!' } }).head).toContain('x-name: caf\xe9\t!\r\n');
  });
});

describe('what would break a request is refused:', () => {
  test.each([
    ['x', 'a\r\nb: c'],
    ['x', 'a\nb'],
    ['x', 'a\rb'],
    ['x', 'a\0b'],
    ['x', 'a\x7fb'],
    ['x', '漢'],
    ['host', 'a\r\nb'],
    ['connection', 'close\r\nx: y'],
    ['x y', 'a'],
    ['x:', 'a'],
    ['x\r\ny', 'a'],
    ['', 'a'],
    ['ä', 'a'],
    ['Transfer-Encoding', 'chunked'],
    ['keep-alive', 'timeout=1'],
    ['Upgrade', 'websocket'],
    ['expect', '100-continue'],
    ['content-length', '7'],
    ['content-length', 'x'],
  ])('%j: %j', (name, value) => {
    expect(() => write({ headers: { [name]: value } })).toThrow(TypeError);
    // A second attempt with the same refused header also fails.
    expect(() => write({ headers: { [name]: value } })).toThrow(TypeError);
  });

  it('a name of Object.prototype is a name like others', () => {
    expect(write({ headers: { constructor: 'x' } }).head).toContain('constructor: x\r\n');
  });
});
