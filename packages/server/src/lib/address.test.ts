import { describe, expect, it } from 'vitest';
import { checkLiteral, ForbiddenAddress, guardedLookup, isAllowed } from './address.ts';

const inside = [
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  'fe80::1',
  'fc00::1',
  'ff02::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '2002:7f00:1::',
];

describe('outbound addresses', () => {
  it('that a user gave reach only the public internet, however the private one is written', () => {
    for (const address of inside) expect(isAllowed(address, 'public'), address).toBe(false);
    for (const address of ['93.184.216.34', '2606:2800:220:1::1'])
      expect(isAllowed(address, 'public'), address).toBe(true);
  });

  it('of channels may be private, but never where clouds keep their metadata', () => {
    for (const address of ['127.0.0.1', '10.1.2.3', '192.168.1.1', '::1', 'fc00::1', '93.184.216.34']) {
      expect(isAllowed(address, 'operator'), address).toBe(true);
    }
    for (const address of [
      '169.254.169.254',
      'fe80::1',
      '::ffff:169.254.169.254',
      '64:ff9b::a9fe:a9fe',
      '224.0.0.1',
      '0.0.0.0',
    ]) {
      expect(isAllowed(address, 'operator'), address).toBe(false);
    }
  });

  it('written as odd literals are judged by what the URL parser makes of them', () => {
    for (const host of ['127.1', '0x7f000001', '2130706433', '[::ffff:7f00:1]', '①②⑦.0.0.1']) {
      expect(() => checkLiteral(new URL(`http://${host}/`), 'public'), host).toThrow(ForbiddenAddress);
    }
  });

  it('are checked where the name resolves, so that a public name for a private address is refused', async () => {
    const resolved = await new Promise<Error | null>((resolve) => {
      guardedLookup('public')('localhost', { all: true }, (error) => resolve(error));
    });
    expect(resolved).toBeInstanceOf(ForbiddenAddress);
  });
});
