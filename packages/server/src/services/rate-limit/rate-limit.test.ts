import { describe, expect, it } from 'vitest';
import { createModelLimiter, type ModelLimits } from './index.ts';

const limits: ModelLimits = { total: 3, success: 2, windowMinutes: 1 };

function setUp() {
  let now = 1_000_000;
  const limiter = createModelLimiter(() => now);
  return { limiter, pass: (ms: number) => (now += ms) };
}

describe('model request limits', () => {
  it('refuse beyond the total, failures included, and say so in words', () => {
    const { limiter } = setUp();
    for (let i = 0; i < 3; i += 1) expect(limiter.admit(1, limits).allowed).toBe(true);
    const verdict = limiter.admit(1, limits);
    expect(verdict).toMatchObject({ allowed: false, retryAfterSeconds: 20 });
    expect(!verdict.allowed && verdict.message).toContain('1分钟内最多请求3次，包括失败次数');
  });

  it('refuse beyond the successes but not for failures alone', () => {
    const { limiter } = setUp();
    const open = { ...limits, total: 0 };
    for (let i = 0; i < 50; i += 1) expect(limiter.admit(1, open).allowed).toBe(true);
    limiter.succeeded(1, open);
    limiter.succeeded(1, open);
    expect(limiter.admit(1, open)).toMatchObject({ allowed: false });
  });

  it('let through again as time passes, and not when the clock steps back', () => {
    const { limiter, pass } = setUp();
    for (let i = 0; i < 3; i += 1) limiter.admit(1, limits);
    pass(-3_600_000);
    expect(limiter.admit(1, limits).allowed).toBe(false);
    pass(20_000);
    expect(limiter.admit(1, limits).allowed).toBe(true);
    expect(limiter.admit(1, limits).allowed).toBe(false);
  });

  it('keep users apart', () => {
    const { limiter } = setUp();
    for (let i = 0; i < 4; i += 1) limiter.admit(1, limits);
    expect(limiter.admit(2, limits).allowed).toBe(true);
  });
});
