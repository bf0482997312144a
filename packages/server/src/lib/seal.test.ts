import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSealer } from './seal.ts';

describe('sealed secrets', () => {
  const sealer = createSealer(randomBytes(32));

  it('open again to the same text, Chinese included', () => {
    expect(sealer.open(sealer.seal('sk-密钥', 'channels.key'), 'channels.key')).toBe('sk-密钥');
  });

  it('do not open in another place, with another key, or when a byte was changed', () => {
    const sealed = sealer.seal('secret', 'channels.key');
    expect(() => sealer.open(sealed, 'tokens.key')).toThrow(/authenticate/);
    expect(() => createSealer(randomBytes(32)).open(sealed, 'channels.key')).toThrow(/authenticate/);
    const flipped = `${sealed.slice(0, -1)}${sealed.endsWith('A') ? 'B' : 'A'}`;
    expect(() => sealer.open(flipped, 'channels.key')).toThrow(/authenticate/);
  });

  it('never look alike twice and keep nothing readable', () => {
    expect(sealer.seal('secret', 'x')).not.toBe(sealer.seal('secret', 'x'));
    expect(sealer.seal('secret', 'x')).not.toContain('secret');
  });
});
