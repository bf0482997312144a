import { beforeEach, describe, expect, it } from 'vitest';
import { eachDialect } from '../../each-dialect.ts';
import type { Store } from '../../open.ts';
import * as authenticators from './authenticators.ts';
import { eraseFactors, countFactors } from './factors.ts';
import * as tries from './factor-tries.ts';
import * as challenges from './passkey-challenges.ts';
import * as passkeys from './passkeys.ts';
import * as recoveryCodes from './recovery-codes.ts';
import * as accounts from '../accounts.ts';
import * as users from '../users.ts';
import * as tickets from './sign-in-tickets.ts';

const now = 1_800_000_000;
const [ann, bob] = [3, 4] as const;
const passkeyOf = (user: number, mark: string) => ({
  user_id: user,
  id_hash: mark.repeat(64),
  credential_id: `credential-${mark}`,
  public_key: 'key',
  counter: 0,
  transports: 'internal,hybrid',
  name: `key ${mark}`,
  backed_up: 1,
  created_time: now,
  used_time: 0,
});
const yes = (answers: readonly boolean[]): number => answers.filter(Boolean).length;
const eightTimes = <T>(work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: 8 }, () => work()));

eachDialect('an authenticator app', ({ open }) => {
  let db: Store['db'];
  beforeEach(async () => void ({ db } = await open()));

  it('is active once it is confirmed, and no other replaces it then', async () => {
    expect(await authenticators.propose(db, ann, 'first')).toBe(true);
    expect(await authenticators.propose(db, ann, 'second')).toBe(true);
    expect(await authenticators.find(db, ann)).toMatchObject({ secret_sealed: 'second', confirmed_time: 0 });
    expect(await authenticators.confirmedAmong(db, [ann, bob])).toEqual([]);
    expect(yes(await eightTimes(() => authenticators.confirm(db, ann, now)))).toBe(1);
    expect(await authenticators.propose(db, ann, 'third')).toBe(false);
    expect(await authenticators.find(db, ann)).toMatchObject({
      secret_sealed: 'second',
      confirmed_time: now,
    });
    expect(await authenticators.confirmedAmong(db, [ann, bob])).toEqual([ann]);
    expect(await authenticators.confirmedAmong(db, [])).toEqual([]);
  });

  it('accepts the code of a step once under concurrent uses, and none before it', async () => {
    await authenticators.propose(db, ann, 'secret');
    const app = { user_id: ann, secret_sealed: 'secret' };
    expect(yes(await eightTimes(() => authenticators.useStep(db, app, 100)))).toBe(1);
    expect(await authenticators.useStep(db, app, 99)).toBe(false);
    expect(await authenticators.useStep(db, { ...app, secret_sealed: 'former' }, 101)).toBe(false);
    expect(await authenticators.useStep(db, app, 101)).toBe(true);
  });

  it('is deleted once', async () => {
    await authenticators.propose(db, ann, 'secret');
    expect(yes(await eightTimes(() => authenticators.remove(db, ann)))).toBe(1);
    expect(await authenticators.find(db, ann)).toBeUndefined();
  });
});

eachDialect('second factors by role', ({ open }) => {
  it('count accounts that can sign in, each once, and apps that are confirmed', async () => {
    const { db } = await open();
    const add = async (username: string, rank: number, rest = {}) =>
      users.create(db, {
        account_id: await accounts.create(db),
        username,
        role: rank,
        created_time: now,
        ...rest,
      });
    const addApp = async (id: number) => {
      await authenticators.propose(db, id, 'secret');
      await authenticators.confirm(db, id, now);
    };
    const root = await add('root', 100);
    const admin = await add('admin', 10);
    const careless = await add('careless', 10);
    const banned = await add('banned', 10, { status: 2 });
    const gone = await add('gone', 10);
    await add('user', 1);
    for (const id of [root, banned, gone]) await addApp(id);
    await users.softDelete(db, gone, now);
    await authenticators.propose(db, careless, 'not confirmed');
    for (const [id, mark] of [
      [root, 'a'],
      [root, 'b'],
      [admin, 'c'],
    ] as const)
      await passkeys.add(db, passkeyOf(id, mark));
    expect(await countFactors(db)).toEqual([
      { role: 100, users: 1, authenticator: 1, passkey: 1, protected: 1 },
      { role: 10, users: 2, authenticator: 0, passkey: 1, protected: 1 },
      { role: 1, users: 1, authenticator: 0, passkey: 0, protected: 0 },
    ]);
  });
});

eachDialect('recovery codes', ({ open }) => {
  let db: Store['db'];
  beforeEach(async () => void ({ db } = await open()));

  it('are inactive until their app is confirmed, and then replace the former ones', async () => {
    await recoveryCodes.replace(db, ann, ['a', 'b'], { active: true });
    await recoveryCodes.replace(db, ann, ['c', 'd', 'e'], { active: false });
    expect(await recoveryCodes.count(db, ann)).toBe(2);
    expect(await recoveryCodes.use(db, ann, 'c')).toBe(false);
    await recoveryCodes.activate(db, ann);
    expect(await recoveryCodes.count(db, ann)).toBe(3);
    expect(await recoveryCodes.use(db, ann, 'a')).toBe(false);
    // No pending codes are left: the active codes stay.
    await recoveryCodes.activate(db, ann);
    expect(await recoveryCodes.count(db, ann)).toBe(3);
  });

  it('are valid once each under concurrent uses, and for their owner alone', async () => {
    await recoveryCodes.replace(db, ann, ['a', 'b'], { active: true });
    await recoveryCodes.replace(db, bob, ['b'], { active: true });
    expect(await recoveryCodes.use(db, bob, 'a')).toBe(false);
    expect(yes(await eightTimes(() => recoveryCodes.use(db, ann, 'a')))).toBe(1);
    expect(await recoveryCodes.count(db, ann)).toBe(1);
    await recoveryCodes.removeAll(db, ann);
    expect([await recoveryCodes.count(db, ann), await recoveryCodes.count(db, bob)]).toEqual([0, 1]);
  });
});

eachDialect('wrong codes', ({ open }) => {
  const limit = { every: 5, firstSeconds: 300, laterSeconds: 3_600 };
  let db: Store['db'];
  beforeEach(async () => void ({ db } = await open()));
  const tryAt = (at: number) => tries.countTry(db, ann, limit, at);

  it('lock an account after the fifth, however many are tried at once', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => tryAt(now)));
    expect(yes(answers)).toBe(5);
    expect(await tries.find(db, ann)).toEqual({ user_id: ann, failed: 5, locked_until: now + 300 });
    expect(await tryAt(now + 299)).toBe(false);
  });

  it('lock for longer each further time, and are forgotten with a right one', async () => {
    for (let n = 0; n < 5; n += 1) await tryAt(now);
    for (let n = 0; n < 5; n += 1) expect(await tryAt(now + 300)).toBe(true);
    expect(await tries.find(db, ann)).toMatchObject({ failed: 10, locked_until: now + 300 + 3_600 });
    expect(await tries.countTry(db, bob, limit, now + 300)).toBe(true);
    await tries.forget(db, ann);
    expect(await tryAt(now + 301)).toBe(true);
  });
});

eachDialect('passkeys', ({ open }) => {
  let db: Store['db'];
  beforeEach(async () => void ({ db } = await open()));
  const readId = async (mark: string) => (await passkeys.find(db, mark.repeat(64)))!.id;

  it('belong to one user each, under concurrent additions', async () => {
    expect(yes(await eightTimes(() => passkeys.add(db, passkeyOf(ann, 'a'))))).toBe(1);
    expect(await passkeys.add(db, passkeyOf(bob, 'a'))).toBe(false);
    await passkeys.add(db, passkeyOf(ann, 'b'));
    expect((await passkeys.ofUser(db, ann)).map(({ name }) => name)).toEqual(['key a', 'key b']);
    expect(await passkeys.ownersAmong(db, [ann, bob])).toEqual([ann]);
    expect(await passkeys.ownersAmong(db, [])).toEqual([]);
  });

  it('accept a count once, also for devices that do not count', async () => {
    await passkeys.add(db, passkeyOf(ann, 'a'));
    const id = await readId('a');
    expect(yes(await eightTimes(() => passkeys.noteUse(db, { id, counter: 0 }, { counter: 7, now })))).toBe(
      1,
    );
    expect(await passkeys.find(db, 'a'.repeat(64))).toMatchObject({ counter: 7, used_time: now });
    await passkeys.add(db, passkeyOf(ann, 'b'));
    const still = { id: await readId('b'), counter: 0 };
    // The same second twice, with the same count: both are uses, although the second changes no column.
    expect(await passkeys.noteUse(db, still, { counter: 0, now })).toBe(true);
    expect(await passkeys.noteUse(db, still, { counter: 0, now })).toBe(true);
    expect(await passkeys.noteUse(db, { id: 999_999, counter: 0 }, { counter: 1, now })).toBe(false);
  });

  it('are renamed and removed by their owner alone', async () => {
    await passkeys.add(db, passkeyOf(ann, 'a'));
    const id = await readId('a');
    expect(await passkeys.rename(db, { id, user_id: bob, name: 'mine' })).toBe(false);
    expect(await passkeys.remove(db, { id, user_id: bob })).toBe(false);
    expect(await passkeys.rename(db, { id, user_id: ann, name: 'laptop 💻' })).toBe(true);
    // A rename to the current name must not report a missing passkey.
    expect(await passkeys.rename(db, { id, user_id: ann, name: 'laptop 💻' })).toBe(true);
    expect((await passkeys.ofUser(db, ann)).map(({ name }) => name)).toEqual(['laptop 💻']);
    expect(yes(await eightTimes(() => passkeys.remove(db, { id, user_id: ann })))).toBe(1);
    await passkeys.add(db, passkeyOf(ann, 'b'));
    await passkeys.add(db, passkeyOf(ann, 'c'));
    expect(await passkeys.removeAll(db, ann)).toBe(2);
  });
});

eachDialect('challenges and tickets', ({ open }) => {
  let db: Store['db'];
  beforeEach(async () => void ({ db } = await open()));
  const asked = {
    challenge_hash: 'c'.repeat(64),
    purpose: 'proof',
    bound_hash: 'b'.repeat(64),
    user_id: ann,
  };
  const ticket = { ticket_hash: 't'.repeat(64), user_id: ann, method: 'password', expires_time: now + 600 };

  it('a challenge is answered once, by its user, for its purpose and in time', async () => {
    await challenges.add(db, { ...asked, expires_time: now + 300 });
    for (const wrong of [{ purpose: 'sign-in' }, { bound_hash: 'x'.repeat(64) }, { user_id: bob }])
      expect(await challenges.take(db, { ...asked, ...wrong }, now)).toBe(false);
    expect(await challenges.take(db, asked, now + 300)).toBe(false);
    expect(yes(await eightTimes(() => challenges.take(db, asked, now + 299)))).toBe(1);
  });

  it('a ticket is valid once and in time', async () => {
    await tickets.add(db, ticket);
    expect(await tickets.find(db, ticket.ticket_hash, now + 599)).toMatchObject({ user_id: ann });
    expect(await tickets.find(db, ticket.ticket_hash, now + 600)).toBeUndefined();
    expect(yes(await eightTimes(() => tickets.take(db, ticket.ticket_hash)))).toBe(1);
  });

  it('what has expired is deleted, and nothing else', async () => {
    await challenges.add(db, { ...asked, expires_time: now });
    await challenges.add(db, { ...asked, challenge_hash: 'd'.repeat(64), expires_time: now + 1 });
    await tickets.add(db, { ...ticket, expires_time: now });
    await tickets.add(db, { ...ticket, ticket_hash: 'u'.repeat(64), expires_time: now + 1 });
    expect([await challenges.removeExpired(db, now), await tickets.removeExpired(db, now)]).toEqual([1, 1]);
    expect(await tickets.find(db, 'u'.repeat(64), now)).toBeDefined();
    await tickets.removeAll(db, ann);
    expect(await tickets.find(db, 'u'.repeat(64), now)).toBeUndefined();
  });

  describe('the data of an erased user', () => {
    it('are deleted, and those of others kept', async () => {
      for (const user of [ann, bob]) {
        await authenticators.propose(db, user, 'secret');
        await recoveryCodes.replace(db, user, ['a'], { active: true });
        await tries.countTry(db, user, { every: 5, firstSeconds: 1, laterSeconds: 1 }, now);
        await tickets.add(db, { ...ticket, user_id: user, ticket_hash: String(user).repeat(64) });
      }
      await eraseFactors(db, ann);
      const left = async (user: number) => [
        await authenticators.find(db, user),
        await recoveryCodes.count(db, user),
        await tries.find(db, user),
        await tickets.find(db, String(user).repeat(64), now),
      ];
      expect(await left(ann)).toEqual([undefined, 0, undefined, undefined]);
      expect(await left(bob)).toEqual([expect.anything(), 1, expect.anything(), expect.anything()]);
    });
  });
});
