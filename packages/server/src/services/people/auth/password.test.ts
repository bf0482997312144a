import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createPasswords, passwordCost } from './password.ts';

const masterKey = randomBytes(32);
const cheap = { memory: 64, passes: 2, parallelism: 1 };

describe('passwords', () => {
  it('are hashed with at least the costs that OWASP recommends', async () => {
    const stored = await createPasswords({ masterKey }).hash('correct horse');
    expect(stored).toMatch(/^argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(passwordCost.memory).toBeGreaterThanOrEqual(19_456);
  });

  it('match themselves alone, in any Unicode normalization', async () => {
    const passwords = createPasswords({ masterKey, cost: cheap });
    const stored = await passwords.hash('caf\u00e9 密码 42');
    expect(await passwords.check('cafe\u0301 密码 42', stored)).toEqual({ matches: true, outdated: false });
    expect((await passwords.check('cafe 密码 42', stored)).matches).toBe(false);
    expect((await passwords.check('', stored)).matches).toBe(false);
  });

  it('cannot be checked without the master key', async () => {
    const stored = await createPasswords({ masterKey, cost: cheap }).hash('secret-enough');
    const stranger = createPasswords({ masterKey: randomBytes(32), cost: cheap });
    expect((await stranger.check('secret-enough', stored)).matches).toBe(false);
  });

  it('never match for a user without a password', async () => {
    const passwords = createPasswords({ masterKey, cost: cheap });
    for (const stored of ['', 'argon2id$broken', '$2a$10$abc']) {
      expect((await passwords.check('', stored)).matches).toBe(false);
    }
  });

  it('report when a hash was made with other costs', async () => {
    const stored = await createPasswords({ masterKey, cost: cheap }).hash('secret-enough');
    const dearer = createPasswords({ masterKey, cost: { ...cheap, memory: 128 } });
    expect(await dearer.check('secret-enough', stored)).toEqual({ matches: true, outdated: true });
  });

  it('are refused when too many wait, and work again afterwards', async () => {
    const passwords = createPasswords({ masterKey, cost: cheap, atOnce: 1, queue: 2 });
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, () => passwords.hash('secret-enough')),
    );
    expect(results.map((each) => each.status).sort()).toEqual([
      ...Array<string>(3).fill('fulfilled'),
      ...Array<string>(3).fill('rejected'),
    ]);
    expect(results.find((each) => each.status === 'rejected')?.reason).toMatchObject({ code: 'server_busy' });
    await expect(passwords.hash('secret-enough')).resolves.toContain('argon2id');
  });
});

describe('passwords of another gateway', () => {
  // A vector of crypt_blowfish under the three names that programs use for the same algorithm.
  it.for([
    ['U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
    ['U*U', '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
    ['U*U', '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ] as const)('match, and are to be hashed anew: %s %s', async ([password, stored]) => {
    const passwords = createPasswords({ masterKey, cost: cheap });
    expect(await passwords.check(password, stored)).toEqual({ matches: true, outdated: true });
    expect((await passwords.check(`${password}x`, stored)).matches).toBe(false);
    expect((await passwords.check('', stored)).matches).toBe(false);
  });

  it('are weighed for everybody while there are any, so that the time names nobody who has one', async () => {
    let asked = 0;
    const hasBcrypt = (): Promise<boolean> => Promise.resolve((asked += 1) > 0);
    const passwords = createPasswords({ masterKey, cost: cheap, hasBcrypt });
    const own = await passwords.hash('secret-enough');
    expect(await passwords.check('secret-enough', own)).toEqual({ matches: true, outdated: false });
    expect((await passwords.check('secret-enough', '')).matches).toBe(false);
    expect(asked).toBe(2);
  });

  it('that would take minutes are not weighed at all', async () => {
    const stored = '$2a$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
    expect((await createPasswords({ masterKey, cost: cheap }).check('U*U', stored)).matches).toBe(false);
  });
});
