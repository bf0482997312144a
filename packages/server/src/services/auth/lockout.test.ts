import { AppError } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { createLockout, waitAfter } from './lockout.ts';

const setUp = () => {
  const time = { ms: 1_000_000 };
  return { time, lockout: createLockout(() => time.ms) };
};

describe('guessing passwords', () => {
  it('is free five times, then costs a wait that doubles up to a quarter of an hour', () => {
    expect([0, 4, 5, 6, 7, 30].map(waitAfter)).toEqual([0, 0, 5, 10, 20, 900]);
    const { time, lockout } = setUp();
    for (let i = 0; i < 5; i += 1) {
      expect(() => lockout.check('root', '1.1.1.1')).not.toThrow();
      lockout.fail('root', '1.1.1.1');
    }
    expect(() => lockout.check('ROOT ', '1.1.1.1')).toThrow(AppError);
    time.ms += 5_000;
    expect(() => lockout.check('root', '1.1.1.1')).not.toThrow();
    lockout.fail('root', '1.1.1.1');
    time.ms += 9_000;
    expect(() => lockout.check('root', '1.1.1.1')).toThrow(AppError);
  });

  it('locks nobody else out: not the owner at his own address, not other accounts', () => {
    const { lockout } = setUp();
    for (let i = 0; i < 50; i += 1) lockout.fail('root', '6.6.6.6');
    expect(() => lockout.check('root', '1.1.1.1')).not.toThrow();
    expect(() => lockout.check('alice', '6.6.6.6')).not.toThrow();
  });

  it('is forgotten after a right password or an hour of peace', () => {
    const { time, lockout } = setUp();
    for (let i = 0; i < 20; i += 1) lockout.fail('root', '1.1.1.1');
    lockout.succeed('root', '1.1.1.1');
    expect(() => lockout.check('root', '1.1.1.1')).not.toThrow();
    for (let i = 0; i < 20; i += 1) lockout.fail('root', '1.1.1.1');
    time.ms += 3_600_001;
    lockout.check('root', '1.1.1.1');
    lockout.fail('root', '1.1.1.1');
    expect(() => lockout.check('root', '1.1.1.1')).not.toThrow();
  });
});
