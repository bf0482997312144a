import { describe, expect, it } from 'vitest';
import { isAllowed } from './address.ts';

/** Addresses of cloud metadata services, in all spellings. */
const metadata = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.0.1',
  'fe80::1',
  'fe80::a9fe:a9fe',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '::ffff:169.254.169.254',
  '::ffff:100.100.100.200',
  '::ffff:168.63.129.16',
];

/** Addresses that must be refused: not a host, or a different host than it seems. */
const nowhere = [
  '0.0.0.0',
  '0.1.2.3',
  '255.255.255.255',
  '224.0.0.1',
  '240.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '::',
  'ff02::1',
  'fec0::1',
  'feff::1',
  '::127.0.0.1',
  '::169.254.169.254',
  '::10.0.0.1',
  '::2',
  '::ffff:0:127.0.0.1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::7f00:1',
  '2002:7f00:1::',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:db8::1',
  '100::1',
  '4000::1',
  '5f00::1',
  'not an address',
  '',
];

const inside = [
  '127.0.0.1',
  '127.8.8.8',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '::1',
  'fc00::1',
  'fd12:3456::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
];

describe('outbound addresses', () => {
  it.each([...metadata, ...nowhere])('%s is never allowed', (address) => {
    expect(isAllowed(address, 'public')).toBe(false);
    expect(isAllowed(address, 'operator')).toBe(false);
  });

  it.each(inside)('%s is allowed for addresses of the operator', (address) => {
    expect(isAllowed(address, 'public')).toBe(false);
    expect(isAllowed(address, 'operator')).toBe(true);
  });

  it.each(['93.184.216.34', '2606:2800:220:1::1', '100.128.0.1', '168.63.129.17'])(
    '%s is always allowed',
    (address) => {
      expect(isAllowed(address, 'public')).toBe(true);
      expect(isAllowed(address, 'operator')).toBe(true);
    },
  );
});
