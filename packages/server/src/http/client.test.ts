import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createClientReader } from './context.ts';

const request = (remoteAddress: string, headers: Record<string, string> = {}): IncomingMessage =>
  ({
    socket: { remoteAddress },
    headers: { host: 'gate.example', ...headers },
  }) as unknown as IncomingMessage;

describe('the caller’s address', () => {
  it('is the connection’s own unless a named proxy says otherwise', () => {
    const forged = {
      'x-forwarded-for': '1.2.3.4',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'evil.example',
    };
    const nobody = createClientReader([]);
    expect(nobody.ip(request('::ffff:203.0.113.9', forged))).toBe('203.0.113.9');
    expect(nobody.isHttps(request('203.0.113.9', forged))).toBe(false);
    expect(nobody.origin(request('203.0.113.9', forged))).toBe('http://gate.example');
    const proxy = createClientReader(['203.0.113.0/24']);
    expect(proxy.ip(request('203.0.113.9', forged))).toBe('1.2.3.4');
    expect(proxy.isHttps(request('203.0.113.9', forged))).toBe(true);
    expect(proxy.origin(request('203.0.113.9', forged))).toBe('https://evil.example');
  });

  it('is the nearest address that is not a configured proxy, whatever the caller sent before it', () => {
    const reader = createClientReader(['private']);
    const through = (chain: string) => reader.ip(request('10.0.0.1', { 'x-forwarded-for': chain }));
    expect(through('6.6.6.6, 198.51.100.2, 10.0.0.7')).toBe('198.51.100.2');
    expect(through('not-an-address, 10.0.0.7')).toBe('10.0.0.7');
    expect(through('')).toBe('10.0.0.1');
    expect(through('192.168.1.5')).toBe('192.168.1.5');
  });
});
