import { AppError } from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { createLockout, waitAfter, checkWithLockout } from './lockout.ts';

const setUp = () => {
  const time = { ms: 1_000_000 };
  const lockout = createLockout(() => time.ms);
  const attempt = (account: string, ip: string) => lockout.attempt({ account, ip });
  const fail = (count: number, account: string, ip: string): void => {
    for (let i = 0; i < count; i += 1) attempt(account, ip);
  };
  return { time, lockout, attempt, fail };
};

/** A distinct address for each number. */
const address = (number: number): string => `198.51.${number >> 8}.${number & 255}`;

describe('guessing passwords', () => {
  it('is free five times, then costs a wait that doubles up to a quarter of an hour', () => {
    expect([0, 4, 5, 6, 7, 30].map(waitAfter)).toEqual([0, 0, 5, 10, 20, 900]);
    const { time, attempt, fail } = setUp();
    fail(5, 'root', '1.1.1.1');
    expect(() => attempt('root', '1.1.1.1')).toThrow(AppError);
    time.ms += 5_000;
    expect(() => attempt('root', '1.1.1.1')).not.toThrow();
    time.ms += 9_000;
    expect(() => attempt('root', '1.1.1.1')).toThrow(AppError);
  });

  it('counts before a password is checked: of many concurrent guesses only the free ones are', async () => {
    const { lockout } = setUp();
    let weighed = 0;
    const guess = () =>
      checkWithLockout(lockout, { account: 'root', ip: '6.6.6.6' }, async () => {
        weighed += 1;
        await Promise.resolve();
        return false;
      });
    const guesses = await Promise.allSettled(Array.from({ length: 60 }, guess));
    expect(weighed).toBe(5);
    expect(guesses.filter(({ status }) => status === 'rejected')).toHaveLength(55);
  });

  it('does not count a guess when the secret was right, or could not be checked', async () => {
    const { lockout } = setUp();
    const guess = { account: 'root', ip: '1.1.1.1' };
    for (let i = 0; i < 20; i += 1)
      await expect(checkWithLockout(lockout, guess, () => true)).resolves.toBe(true);
    const busy = () => Promise.reject(new Error('busy'));
    for (let i = 0; i < 20; i += 1)
      await expect(checkWithLockout(lockout, guess, busy)).rejects.toThrow('busy');
    await expect(checkWithLockout(lockout, guess, () => false)).resolves.toBe(false);
  });

  it('counts all addresses of an IPv6 network as one', () => {
    const { attempt, fail } = setUp();
    for (let i = 0; i < 5; i += 1) fail(1, 'root', `2001:db8:1:2::${i + 1}`);
    expect(() => attempt('root', '2001:db8:1:2:ffff::9')).toThrow(AppError);
    expect(() => attempt('root', '2001:db8:1:3::1')).not.toThrow();
  });

  it('locks out no one else: not the owner at another address, not other accounts', () => {
    const { attempt, fail } = setUp();
    fail(5, 'root', '6.6.6.6');
    expect(() => attempt('root', '1.1.1.1')).not.toThrow();
    expect(() => attempt('alice', '6.6.6.6')).not.toThrow();
  });

  it('is slow for one account from any number of addresses, but not where the owner signed in before', () => {
    const { time, attempt } = setUp();
    attempt('root', '1.1.1.1').succeed();
    let weighed = 0;
    const guessAtOnce = (from: number): void => {
      for (let i = 0; i < 1_000; i += 1) {
        try {
          attempt('root', address(from + i));
          weighed += 1;
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== 'too_many_attempts') throw error;
        }
      }
    };
    guessAtOnce(0);
    expect(weighed).toBe(50);
    expect(() => attempt('root', '1.1.1.1')).not.toThrow();
    expect(() => attempt('alice', address(5))).not.toThrow();
    time.ms += 3_600_000;
    guessAtOnce(2_000);
    expect(weighed).toBe(80);
  });

  it('counts for the other names of an account too, but makes no other name wait for it', () => {
    const { lockout } = setUp();
    const typed = (account: string) => lockout.attempt({ account, also: ['user:1'], ip: '1.1.1.1' });
    for (let i = 0; i < 5; i += 1) typed('login:root');
    expect(() => typed('login:root')).toThrow(AppError);
    expect(() => typed('login:root@example.com')).not.toThrow();
    expect(() => lockout.attempt({ account: 'user:1', ip: '1.1.1.1' })).toThrow(AppError);
    typed('login:root@example.com').succeed();
    expect(() => lockout.attempt({ account: 'user:1', ip: '1.1.1.1' })).not.toThrow();
    expect(() => typed('login:root')).toThrow(AppError);
  });

  it('of a long random secret makes nobody wait at another address', () => {
    const { lockout } = setUp();
    const guess = (number: number) =>
      lockout.attempt({ account: 's', ip: address(number), perAddressOnly: true });
    for (let i = 0; i < 1_000; i += 1) expect(() => guess(i)).not.toThrow();
  });

  it('is forgotten after a right password or an hour without guesses', () => {
    const { time, attempt, fail } = setUp();
    fail(4, 'root', '1.1.1.1');
    attempt('root', '1.1.1.1').succeed();
    fail(5, 'root', '1.1.1.1');
    expect(() => attempt('root', '1.1.1.1')).toThrow(AppError);
    time.ms += 3_600_001;
    expect(() => fail(5, 'root', '1.1.1.1')).not.toThrow();
  });
});
