import { describe, expect, it } from 'vitest';
import { parseIpRanges, plainAddress } from './address.ts';

describe('address lists', () => {
  it('match single addresses and blocks of both families', () => {
    const list = parseIpRanges(['10.0.0.0/8', '203.0.113.7', '2001:db8::/32']);
    for (const inside of ['10.255.0.1', '203.0.113.7', '2001:db8:1::5', '::ffff:10.1.2.3']) {
      expect(list.contains(inside)).toBe(true);
    }
    for (const outside of ['11.0.0.1', '203.0.113.8', '2001:db9::1', '::1', 'example', '']) {
      expect(list.contains(outside)).toBe(false);
    }
  });

  it('match nothing when empty', () => {
    expect(parseIpRanges([]).contains('127.0.0.1')).toBe(false);
  });

  it.each(['10.0.0.0/33', 'host', '10.0.0.1/'])('refuse %s', (entry) => {
    expect(() => parseIpRanges([entry])).toThrow(entry);
  });

  it('write IPv4 as IPv4', () => {
    expect(plainAddress('::ffff:10.0.0.1')).toBe('10.0.0.1');
    expect(plainAddress('::1')).toBe('::1');
  });
});
