import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accounts, migrate, openStore, sessions, type Store, users } from '../../../store/index.ts';
import { createSealer } from '../../../lib/seal.ts';
import { Factors } from '../factors/index.ts';
import { type Auth, createAuth } from './auth.ts';
import { createPasswords, type Passwords } from './password.ts';
import type { SignedInWith } from './signed-in.ts';
import { type Audit, createAudit } from '../../site/audit/index.ts';

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const place = { ip: '203.0.113.9', userAgent: 'test' };
const cost = { memory: 64, passes: 2, parallelism: 1 };

let store: Store;
let auth: Auth;
let openAuth: (passwords: Passwords) => Auth;
let passwords: Passwords;
let factors: Factors;
let audit: Audit;
let passwordLogin: boolean;
let now: number;

beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:' });
  await migrate(store);
  passwordLogin = true;
  now = 1_800_000_000_000;
  const masterKey = randomBytes(32);
  passwords = createPasswords({ masterKey, cost });
  const settings = { get: () => passwordLogin as never };
  audit = createAudit({ db: store.db, reports: store.db, clock: () => now });
  factors = new Factors({
    db: store.db,
    sealer: createSealer(masterKey),
    masterKey,
    settings,
    audit,
    authorize: () => undefined,
    writeTo: () => undefined,
    clock: () => now,
    log,
  });
  const deps = {
    db: store.db,
    settings,
    factors,
    audit,
    announceToken: () => undefined,
    clock: () => now,
    log,
  };
  openAuth = (passwords) => createAuth({ ...deps, passwords });
  auth = openAuth(passwords);
});
afterEach(() => store.close());

async function addUser(change: Partial<Parameters<typeof users.create>[1]> = {}): Promise<number> {
  return users.create(store.db, {
    account_id: await accounts.create(store.db),
    username: 'alice',
    email: 'alice@example.com',
    created_time: 1,
    password: await passwords.hash('correct horse'),
    ...change,
  });
}

async function signIn(login = 'alice', password = 'correct horse', ip = place.ip): Promise<SignedInWith> {
  const step = await auth.signIn({ login, password }, { ...place, ip });
  if (!('session' in step)) throw new Error('there is a second step');
  return step;
}

describe('signing in', () => {
  it('works by name and by e-mail address, and gives a session that names the user', async () => {
    const id = await addUser();
    for (const login of ['alice', 'alice@example.com']) {
      const { user, session } = await signIn(login);
      expect(user).toEqual({ id, username: 'alice', display_name: '', role: 1, status: 1, group: 'default' });
      expect(await auth.bySession(session)).toMatchObject({ actor: { id }, credential: { kind: 'session' } });
    }
  });

  it('refuses an unknown name, a wrong password, a banned and a deleted user with the same message', async () => {
    await addUser();
    await addUser({ username: 'banned', status: 2 });
    const deleted = await addUser({ username: 'deleted' });
    await users.softDelete(store.db, deleted, 5);
    for (const [name, password] of [['nobody'], ['alice', 'wrong'], ['banned'], ['deleted']] as const) {
      await expect(signIn(name, password)).rejects.toMatchObject({ code: 'wrong_credentials' });
    }
  });

  it('is refused without name or password, and while the administrator has disabled it', async () => {
    await addUser();
    await expect(signIn('', 'x')).rejects.toMatchObject({ code: 'credentials_missing' });
    await expect(signIn('alice', '')).rejects.toMatchObject({ code: 'credentials_missing' });
    passwordLogin = false;
    await expect(signIn()).rejects.toMatchObject({ code: 'password_login_disabled' });
  });

  it('delays guesses, even with the right password, but not at another address', async () => {
    await addUser();
    for (let i = 0; i < 5; i += 1)
      await expect(signIn('alice', 'wrong')).rejects.toMatchObject({ code: 'wrong_credentials' });
    await expect(signIn()).rejects.toMatchObject({ code: 'too_many_attempts' });
    await expect(signIn('alice', 'correct horse', '198.51.100.1')).resolves.toBeDefined();
    now += 5_000;
    await expect(signIn()).resolves.toBeDefined();
  });

  it('renews a hash of former costs', async () => {
    const cheap = createPasswords({ masterKey: randomBytes(32), cost: { ...cost, memory: 32 } });
    expect((await cheap.hash('x')).includes('m=32,')).toBe(true);
    const older = createPasswords({ masterKey: Buffer.alloc(32, 1), cost: { ...cost, memory: 32 } });
    const newer = createPasswords({ masterKey: Buffer.alloc(32, 1), cost });
    auth = openAuth(newer);
    const id = await addUser({ password: await older.hash('correct horse') });
    await signIn();
    expect((await users.find(store.db, id))?.password).toContain('m=64,');
    await expect(signIn()).resolves.toBeDefined();
  });
});

describe('a session', () => {
  it('is stored as a hash only', async () => {
    const id = await addUser();
    const { session } = await signIn();
    const rows = await sessions.list(store.db, id);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(session);
    expect(Buffer.from(session, 'base64url')).toHaveLength(32);
  });

  it('has the present role, status and group, not those at sign-in', async () => {
    const id = await addUser({ role: 10 });
    const { session } = await signIn();
    await users.update(store.db, id, { role: 1, status: 2, group: 'vip' });
    expect((await auth.bySession(session))?.actor).toMatchObject({ role: 1, status: 2, group: 'vip' });
    await users.softDelete(store.db, id, 5);
    expect(await auth.bySession(session)).toBeNull();
  });

  it('ends after seven days unused, and after thirty in any case', async () => {
    await addUser();
    const { session: idle } = await signIn();
    const { session: busy } = await signIn();
    const aDay = 86_400_000;
    const useDaily = async (days: number): Promise<boolean> => {
      let alive = true;
      for (let day = 1; day <= days; day += 1) {
        now += aDay;
        alive &&= (await auth.bySession(busy)) !== null;
      }
      return alive;
    };
    expect(await useDaily(8)).toBe(true);
    expect(await auth.bySession(idle)).toBeNull();
    expect(await useDaily(21)).toBe(true);
    expect(await useDaily(1)).toBe(false);
    expect(await auth.sessions.sweep()).toBe(2);
  });

  it('of an administrator ends after twelve hours', async () => {
    await addUser({ role: 10 });
    const { session } = await signIn();
    for (let hour = 1; hour <= 11; hour += 1) {
      now += 3_600_000;
      expect(await auth.bySession(session)).not.toBeNull();
    }
    now += 3_600_000;
    expect(await auth.bySession(session)).toBeNull();
  });

  it('ends by itself, or with all others but one', async () => {
    const id = await addUser();
    const opened = [await signIn(), await signIn(), await signIn()];
    const kept = await auth.bySession(opened[0]!.session);
    if (kept?.credential.kind !== 'session') throw new Error('no session');
    await auth.sessions.endAll(id, kept.credential.idHash);
    expect(await auth.bySession(opened[0]!.session)).not.toBeNull();
    expect(await auth.bySession(opened[1]!.session)).toBeNull();
    await auth.sessions.end(kept.credential.idHash);
    expect(await auth.bySession(opened[0]!.session)).toBeNull();
  });

  it('is not found by an invented cookie', async () => {
    await addUser();
    for (const value of ['', 'x', 'a'.repeat(10_000), "' OR 1=1 --"])
      expect(await auth.bySession(value)).toBeNull();
  });
});

describe('the sessions of a user', () => {
  it('are at most 50: the oldest end, and those of others stay', async () => {
    const id = await addUser();
    const other = await addUser({ username: 'bob', email: 'bob@example.com' });
    const placed = (userId: number) =>
      auth.sessions.open({ id: userId, role: 1 }, place, { isProven: false });
    const foreign = await placed(other);
    const opened: string[] = [];
    for (let i = 0; i < 55; i += 1) {
      now += i < 50 ? 1_000 : 0;
      opened.push(await placed(id));
      expect(await auth.bySession(opened.at(-1)!)).not.toBeNull();
    }
    expect(await auth.sessions.list(id)).toHaveLength(50);
    for (const value of opened.slice(0, 5)) expect(await auth.bySession(value)).toBeNull();
    expect(await auth.bySession(foreign)).not.toBeNull();
  });
});

describe('the system access token', () => {
  it('is one at a time, stored as a hash, and ends with its user', async () => {
    const id = await addUser();
    const first = await auth.renewAccessToken(id, 'en');
    const second = await auth.renewAccessToken(id, 'en');
    expect(second).toMatch(/^[0-9A-Za-z]{32}$/);
    expect(await auth.byAccessToken(first)).toBeNull();
    expect(await auth.byAccessToken(second)).toMatchObject({
      actor: { id },
      credential: { kind: 'access-token' },
    });
    expect(JSON.stringify(await users.find(store.db, id))).not.toContain(second);
    await users.softDelete(store.db, id, 5);
    expect(await auth.byAccessToken(second)).toBeNull();
  });
});
