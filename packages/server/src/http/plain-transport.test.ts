import { describe, expect, it } from 'vitest';
import { createTransportCheck } from './plain-transport.ts';

/** True when a password may be sent over this connection. */
function passes(allowPlainHttp: boolean, ip: string, origin: string): boolean {
  const check = createTransportCheck(allowPlainHttp);
  try {
    check({ ip, origin, isHttps: origin.startsWith('https:') });
    return true;
  } catch {
    return false;
  }
}

describe('a password over plain http', () => {
  it.each([
    ['127.0.0.1', 'http://localhost:3000'],
    ['::1', 'http://[::1]:3000'],
    ['203.0.113.9', 'https://gate.example'],
  ])('is allowed within this machine or over https: %s to %s', (ip, origin) => {
    expect([passes(true, ip, origin), passes(false, ip, origin)]).toEqual([true, true]);
  });

  it.each([
    ['192.168.1.5', 'http://192.168.1.2:3000'],
    ['10.0.0.7', 'http://tollgate:3000'],
    ['fd00::7', 'http://[fd00::2]:3000'],
    ['192.168.1.5', 'http://nas.local:3000'],
    ['172.17.0.1', 'http://gate.home.arpa'],
    ['100.101.102.103', 'http://100.101.102.104:3000'],
  ])('is allowed within a local network where the operator permits it: %s to %s', (ip, origin) => {
    expect([passes(true, ip, origin), passes(false, ip, origin)]).toEqual([true, false]);
  });

  it.each([
    // Directly from another machine, with any host.
    ['203.0.113.9', 'http://203.0.113.1:3000'],
    ['203.0.113.9', 'http://192.168.1.2:3000'],
    ['2001:db8::9', 'http://tollgate.local'],
    // Through a proxy on this machine that adds no headers, or through a container's bridge.
    ['127.0.0.1', 'http://gate.example'],
    ['172.17.0.1', 'http://203.0.113.1:3000'],
    ['172.17.0.1', 'http://[2001:db8::1]:3000'],
    ['127.0.0.1', 'http://192.168.1.2.evil.example'],
    ['127.0.0.1', 'http://localhost.evil.example'],
    // With an invalid host.
    ['127.0.0.1', 'http://'],
    ['127.0.0.1', 'http://local host'],
    ['127.0.0.1', 'http://localhost:99999'],
  ])('never travels the internet: %s to %s', (ip, origin) => {
    expect([passes(true, ip, origin), passes(false, ip, origin)]).toEqual([false, false]);
  });
});
