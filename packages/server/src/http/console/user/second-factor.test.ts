import {
  authApi,
  type FactorStatus,
  role,
  secondFactorApi,
  selfApi,
  userApi,
  type UserData,
} from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { authenticators } from '../../../store/index.ts';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse, testPassword } from '../../../testing/harness.ts';
import { appOf, atSecondStep, setUpApp } from '../../../testing/second-factor/app.ts';
import { browse } from '../../../testing/second-factor/browse.ts';
import { startMailsOf } from '../../../testing/upstream/mail-server.ts';

const password = { password: testPassword };
let house: House;
let alice: Agent;
beforeEach(async () => {
  house = await openHouse();
  alice = await house.person('alice');
});
afterEach(() => house.close());

const readStatus = async (agent: Agent): Promise<FactorStatus> =>
  (await agent.must(secondFactorApi.status, {})) as FactorStatus;
const proveBy = (agent: Agent, code: string) => agent.call(secondFactorApi.verify, { method: '2fa', code });

describe('an authenticator app', () => {
  it('is active once its first code was confirmed, and not asked for at sign-in until then', async () => {
    const made = (await alice.must(secondFactorApi.setUp, {}, password)) as Record<string, string>;
    expect(made.qr_code_data).toBe(
      `otpauth://totp/${'New%20API:alice'}?issuer=New%20API&secret=${made.secret}&algorithm=SHA1&digits=6&period=30`.replaceAll(
        'New%20API',
        encodeURIComponent(house.core.settings.get('SystemName')),
      ),
    );
    expect(await readStatus(alice)).toMatchObject({ enabled: false, backup_codes_remaining: 0 });
    await house.signIn('alice');
    const code = appOf(house, made.secret!);
    const wrong = String((Number(code()) + 1) % 1_000_000).padStart(6, '0');
    expect((await alice.call(secondFactorApi.enable, { code: wrong }, password)).body.code).toBe(
      'second_factor_wrong',
    );
    await alice.must(secondFactorApi.enable, { code: ` ${code().slice(0, 3)} ${code().slice(3)}` }, password);
    expect(await readStatus(alice)).toMatchObject({ enabled: true, backup_codes_remaining: 10, passkeys: 0 });
    expect((await alice.must(selfApi.get, {})) as UserData).toMatchObject({ two_factor: true });
  });

  it('is stored sealed, and in no answer but that of its setup', async () => {
    const { secret } = await setUpApp(house, alice);
    const row = await authenticators.find(house.core.store.db, alice.userId);
    expect(row?.secret_sealed).toMatch(/^v2\./);
    const admin = await house.person('chief', { role: role.root });
    for (const reply of [
      await alice.call(secondFactorApi.status, {}),
      await alice.call(selfApi.get, {}),
      await admin.call(userApi.list, {}),
      await admin.call(secondFactorApi.ofUser, { id: alice.userId }),
    ]) {
      expect(reply.body.success).toBe(true);
      expect(JSON.stringify(reply.body)).not.toContain(secret);
    }
    await proveBy(alice, (await setUpAgain(alice)) ?? '');
  });

  /** Checks that the set-up of a second app is refused. */
  async function setUpAgain(agent: Agent): Promise<undefined> {
    const reply = await agent.call(secondFactorApi.setUp, {});
    expect(reply.body.code).toMatch(/^(verify_again|second_factor_on)$/);
    return undefined;
  }

  it('accepts each code once, and none before it is active', async () => {
    const { code } = await setUpApp(house, alice);
    expect((await proveBy(alice, code())).body.success).toBe(true);
    expect((await proveBy(alice, code())).body.code).toBe('second_factor_wrong');
    expect((await proveBy(alice, code(-1))).body.code).toBe('second_factor_wrong');
    expect((await proveBy(alice, code(1))).body.success).toBe(true);
    expect((await proveBy(alice, code(2))).body.code).toBe('second_factor_wrong');
  });

  it('accepts one of many concurrent uses of one code', async () => {
    const { code } = await setUpApp(house, alice);
    const given = code();
    const replies = await Promise.all(Array.from({ length: 5 }, () => proveBy(alice, given)));
    expect(replies.filter(({ body }) => body.success)).toHaveLength(1);
  });
});

describe('wrong codes', () => {
  const senders = {
    'at sign-in': async (code: string) =>
      (await atSecondStep(house, 'alice')).call(secondFactorApi.finishSignIn, { code }),
    'when asked again': (code: string) => proveBy(alice, code),
  };

  it.each(Object.entries(senders))(
    'delay the account after five, also for the right one: %s',
    async (_, send) => {
      const { code } = await setUpApp(house, alice);
      for (let i = 0; i < 5; i += 1)
        expect((await send('AAAAA-AAAAA')).body.code).toBe('second_factor_wrong');
      const locked = await send(code());
      expect(locked).toMatchObject({ status: 429, body: { code: 'second_factor_locked' } });
      expect(locked.headers['retry-after']).toBe('300');
      expect(await readStatus(alice)).toMatchObject({ locked: true });
      house.time.ms += 300_000;
      expect((await send(code())).body.success).toBe(true);
      for (let i = 0; i < 4; i += 1) await send('AAAAA-AAAAA');
      expect(await readStatus(alice)).toMatchObject({ locked: false });
    },
  );

  it('are delayed longer the second time, and at most five concurrent ones are checked', async () => {
    const { code } = await setUpApp(house, alice);
    const flood = () => Promise.all(Array.from({ length: 20 }, () => proveBy(alice, 'AAAAA-AAAAA')));
    expect((await flood()).filter(({ status }) => status !== 429)).toHaveLength(5);
    house.time.ms += 300_000;
    expect((await flood()).filter(({ status }) => status !== 429)).toHaveLength(5);
    house.time.ms += 300_000;
    expect((await proveBy(alice, code())).status).toBe(429);
    house.time.ms += 3_300_000;
    expect((await proveBy(alice, code())).body.success).toBe(true);
  });
});

describe('a sign-in with a second factor', () => {
  it('creates no session for the password alone, and one for the code', async () => {
    const { code } = await setUpApp(house, alice);
    const browser = browse(house);
    const first = await browser.call(authApi.login, { username: 'alice', password: testPassword });
    expect(first.body.data).toEqual({ require_2fa: true, authenticator: true, passkey: false });
    expect([...browser.cookies.keys()]).toEqual(['second-step']);
    expect((await browser.call(selfApi.get, {}, alice.userId)).body.code).toBe('not_logged_in');
    const second = await browser.call(secondFactorApi.finishSignIn, { code: code() });
    expect(second.body.data).toMatchObject({ id: alice.userId, username: 'alice' });
    expect([...browser.cookies.keys()]).toEqual(['session']);
    expect((await browser.must(selfApi.get, {}, alice.userId)) as UserData).toMatchObject({
      id: alice.userId,
    });
  });

  it('is valid in the browser in which the password was given, once, and for ten minutes', async () => {
    const { code } = await setUpApp(house, alice);
    const finish = { code: '' };
    const stranger = browse(house);
    expect((await stranger.call(secondFactorApi.finishSignIn, { code: code() })).body.code).toBe(
      'second_step_over',
    );
    const browser = await atSecondStep(house, 'alice');
    const ticket = browser.cookies.get('second-step')!;
    finish.code = code();
    await browser.must(secondFactorApi.finishSignIn, finish);
    house.time.ms += 60_000;
    stranger.cookies.set('second-step', ticket);
    expect((await stranger.call(secondFactorApi.finishSignIn, { code: code() })).body.code).toBe(
      'second_step_over',
    );
    const late = await atSecondStep(house, 'alice');
    house.time.ms += 600_000;
    expect((await late.call(secondFactorApi.finishSignIn, { code: code() })).body.code).toBe(
      'second_step_over',
    );
  });

  it('is refused when the account was banned, or its password changed, between the steps', async () => {
    const { code } = await setUpApp(house, alice);
    const root = await house.person('chief', { role: role.root });
    const banned = await atSecondStep(house, 'alice');
    await root.must(userApi.manage, { id: alice.userId, action: 'disable' });
    expect((await banned.call(secondFactorApi.finishSignIn, { code: code() })).body.success).toBe(false);
    expect(banned.cookies.has('session')).toBe(false);
    await root.must(userApi.manage, { id: alice.userId, action: 'enable' });
    house.time.ms += 60_000;
    const former = await atSecondStep(house, 'alice');
    await root.must(userApi.update, { id: alice.userId, password: 'another good one' });
    expect((await former.call(secondFactorApi.finishSignIn, { code: code() })).body.code).toBe(
      'second_step_over',
    );
  });
});

describe('recovery codes', () => {
  it('replace the app once each, however they are written', async () => {
    const { recoveryCodes } = await setUpApp(house, alice);
    expect(new Set(recoveryCodes).size).toBe(10);
    const [first = '', second = ''] = recoveryCodes;
    const browser = await atSecondStep(house, 'alice');
    await browser.must(secondFactorApi.finishSignIn, { code: first.toLowerCase().replace('-', ' ') });
    expect((await proveBy(alice, first)).body.code).toBe('second_factor_wrong');
    expect((await proveBy(alice, second)).body.success).toBe(true);
    expect(await readStatus(alice)).toMatchObject({ backup_codes_remaining: 8 });
  });

  it('are made anew on demand, and the former ones are invalid', async () => {
    const { code, recoveryCodes } = await setUpApp(house, alice);
    await proveBy(alice, code());
    const { backup_codes: fresh } = (await alice.must(secondFactorApi.renewCodes, {})) as {
      backup_codes: string[];
    };
    expect((await proveBy(alice, recoveryCodes[0]!)).body.code).toBe('second_factor_wrong');
    expect((await proveBy(alice, fresh[0]!)).body.success).toBe(true);
    expect(fresh).toHaveLength(10);
  });

  it('are invalid before the app is confirmed, and after it is removed', async () => {
    const made = (await alice.must(secondFactorApi.setUp, {}, password)) as { backup_codes: string[] };
    expect((await proveBy(alice, made.backup_codes[0]!)).body.code).toBe('second_factor_missing');
    const { code, recoveryCodes } = await setUpApp(house, alice);
    await proveBy(alice, code());
    await alice.must(secondFactorApi.disable, {});
    expect((await proveBy(alice, recoveryCodes[0]!)).body.code).toBe('second_factor_missing');
    await house.signIn('alice');
  });
});

describe('removing a factor', () => {
  it('needs the factor, not the password; a code that is sent along must be right', async () => {
    const { code } = await setUpApp(house, alice);
    house.time.ms += 900_000;
    expect((await alice.call(secondFactorApi.disable, {}, password)).body.code).toBe('verify_again');
    await proveBy(alice, code());
    expect((await alice.call(secondFactorApi.disable, { code: '000000' })).body.code).toBe(
      'second_factor_wrong',
    );
    await alice.must(secondFactorApi.disable, { code: code(1) });
    expect(await readStatus(alice)).toMatchObject({ enabled: false, backup_codes_remaining: 0 });
  });

  it('is done by administrators for lower ranks alone, and the owner is notified', async () => {
    const server = await startMailsOf(house);
    const ids: Record<string, Agent> = {
      user: alice,
      admin: await house.person('adam', { role: role.admin }),
      peer: await house.person('eve', { role: role.admin }),
      root: await house.person('chief', { role: role.root }),
      otherRoot: await house.person('boss', { role: role.root }),
    };
    const { users } = await import('../../../store/index.ts');
    await users.update(house.core.store.db, alice.userId, {
      email: 'alice@example.com',
      setting: JSON.stringify({ language: 'en' }),
    });
    await setUpApp(house, alice);
    const may = async (actor: string, target: string) =>
      (await ids[actor]!.call(secondFactorApi.reset, { id: ids[target]!.userId }, password)).body.success;
    const outcome: Record<string, unknown> = {};
    for (const [actor, target] of [
      ['user', 'user'],
      ['admin', 'peer'],
      ['admin', 'root'],
      ['admin', 'admin'],
      ['root', 'otherRoot'],
      ['root', 'admin'],
      ['admin', 'user'],
    ] as const)
      outcome[`${actor} > ${target}`] = await may(actor, target);
    expect(outcome).toEqual({
      'user > user': false,
      'admin > peer': false,
      'admin > root': false,
      'admin > admin': false,
      'root > otherRoot': false,
      'root > admin': true,
      'admin > user': true,
    });
    expect(await readStatus(alice)).toMatchObject({ enabled: false });
    await house.mails.idle();
    expect(server.mails.map(({ text }) => text).join('\n')).toContain('An administrator reset');
    await server.close();
  });

  it('is counted by role, for root alone', async () => {
    const root = await house.person('chief', { role: role.root });
    const admin = await house.person('admin', { role: role.admin });
    await setUpApp(house, alice);
    expect((await admin.call(secondFactorApi.stats, {})).body.code).toBe('insufficient_role');
    expect(await root.must(secondFactorApi.stats, {})).toEqual([
      { role: 100, users: 1, authenticator: 0, passkey: 0, protected: 0 },
      { role: 10, users: 1, authenticator: 0, passkey: 0, protected: 0 },
      { role: 1, users: 1, authenticator: 1, passkey: 0, protected: 1 },
    ]);
  });

  it('deletes everything when an account is erased', async () => {
    await setUpApp(house, alice);
    const root = await house.person('chief', { role: role.root });
    await root.must(userApi.remove, { id: alice.userId });
    expect(await authenticators.find(house.core.store.db, alice.userId)).toBeUndefined();
  });
});
