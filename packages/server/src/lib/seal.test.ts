import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSealer, looksSealed } from './seal.ts';

describe('sealed secrets', () => {
  const sealer = createSealer(randomBytes(32));
  const place = { column: 'channels.key', row: 7 };

  it('open again to the same text, Chinese included', () => {
    const sealed = sealer.seal('sk-密钥', place);
    expect(looksSealed(sealed)).toBe(true);
    expect(sealer.open(sealed, { ...place, row: '7' })).toBe('sk-密钥');
  });

  it('do not open in another column or row, with another key, or when a byte was changed', () => {
    const sealed = sealer.seal('secret', place);
    for (const other of [
      { column: 'tokens.key', row: 7 },
      { column: 'channels.key', row: 8 },
      { column: 'channels.key"', row: 7 },
      { column: 'channels.key', row: '7,"' },
    ])
      expect(() => sealer.open(sealed, other)).toThrow(/authenticate/);
    expect(() => createSealer(randomBytes(32)).open(sealed, place)).toThrow(/authenticate/);
    const flipped = `${sealed.slice(0, -1)}${sealed.endsWith('A') ? 'B' : 'A'}`;
    expect(() => sealer.open(flipped, place)).toThrow(/authenticate/);
    expect(() => sealer.open(sealed.replace('v2', 'v1'), place)).toThrow('not a sealed text');
  });

  it('never look alike twice and have no readable part', () => {
    expect(sealer.seal('secret', place)).not.toBe(sealer.seal('secret', place));
    expect(sealer.seal('secret', place)).not.toContain('secret');
  });
});
