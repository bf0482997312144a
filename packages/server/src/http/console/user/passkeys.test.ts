import {
  authApi,
  type FactorStatus,
  passkeyApi,
  type PasskeyData,
  role,
  secondFactorApi,
  selfApi,
  userApi,
  type UserData,
} from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse, testPassword } from '../../../testing/harness.ts';
import { atSecondStep } from '../../../testing/second-factor/app.ts';
import { browse, type TestBrowser } from '../../../testing/second-factor/browse.ts';
import { createPasskey, type VirtualPasskey } from '../../../testing/second-factor/virtual-passkey.ts';

const origin = 'https://gate.example';
const password = { password: testPassword };
let house: House;
let alice: Agent;
beforeEach(async () => {
  house = await openHouse();
  await house.core.settings.setMany({ ServerAddress: origin });
  alice = await house.person('alice');
});
afterEach(() => house.close());

const publicKeyOf = (data: unknown): unknown =>
  (data as { options: { publicKey: unknown } }).options.publicKey;

/** Adds a passkey to an account; returns the recovery codes of the answer. */
async function add(agent: Agent, passkey: VirtualPasskey, name = ''): Promise<string[]> {
  const asked = publicKeyOf(await agent.must(passkeyApi.beginRegistration, {}, password));
  const made = await agent.must(passkeyApi.finishRegistration, { ...passkey.make(asked), name });
  return (made as { backup_codes: string[] }).backup_codes;
}

const ask = async (browser: TestBrowser, second_step = false) =>
  publicKeyOf(await browser.must(passkeyApi.beginSignIn, { second_step }));

describe('a passkey', () => {
  it('signs in alone, and the session counts as proven', async () => {
    const passkey = createPasskey({ origin });
    expect(await add(alice, passkey, 'laptop')).toHaveLength(10);
    const browser = browse(house);
    const shown = passkey.show(await ask(browser));
    expect(await browser.must(passkeyApi.finishSignIn, shown)).toMatchObject({ id: alice.userId });
    expect((await browser.must(selfApi.get, {}, alice.userId)) as UserData).toMatchObject({
      two_factor: true,
    });
    expect(await browser.must(selfApi.accessToken, {}, alice.userId)).toMatch(/^\w{32}$/);
  });

  it('is the second step after the password, in the browser that took the first', async () => {
    const passkey = createPasskey({ origin });
    await add(alice, passkey);
    const browser = await atSecondStep(house, 'alice');
    const asked = await ask(browser, true);
    expect(asked).toMatchObject({ allowCredentials: [{ id: passkey.id }] });
    const shown = { ...passkey.show(asked), second_step: true };
    const other = await atSecondStep(house, 'alice');
    expect((await other.call(passkeyApi.finishSignIn, shown)).body.code).toBe('passkey_refused');
    expect(await browser.must(passkeyApi.finishSignIn, shown)).toMatchObject({ id: alice.userId });
  });

  it('of another user does not end the second step', async () => {
    const bob = await house.person('bob');
    const [hers, his] = [createPasskey({ origin }), createPasskey({ origin })];
    await add(alice, hers);
    await add(bob, his);
    const browser = await atSecondStep(house, 'alice');
    const shown = { ...his.show(await ask(browser, true)), second_step: true };
    expect((await browser.call(passkeyApi.finishSignIn, shown)).body.code).toBe('passkey_refused');
  });

  it('comes with recovery codes, which replace it at the second step', async () => {
    const [code = ''] = await add(alice, createPasskey({ origin }));
    const browser = await atSecondStep(house, 'alice');
    expect(await browser.must(secondFactorApi.finishSignIn, { code })).toMatchObject({ id: alice.userId });
  });

  it('proves the identity again, for the session that asked', async () => {
    const passkey = createPasskey({ origin });
    await add(alice, passkey);
    const other = await house.person('bob');
    house.time.ms += 900_000;
    expect((await alice.call(selfApi.accessToken, {})).body.code).toBe('verify_again');
    const asked = publicKeyOf(await alice.must(passkeyApi.beginProof, {}));
    expect((await other.call(passkeyApi.finishProof, passkey.show(asked))).body.code).toBe('passkey_refused');
    const again = publicKeyOf(await alice.must(passkeyApi.beginProof, {}));
    await alice.must(passkeyApi.finishProof, passkey.show(again));
    expect(await alice.must(selfApi.accessToken, {})).toMatch(/^\w{32}$/);
    expect((await alice.must(secondFactorApi.verify, { method: 'passkey' })) as object).toMatchObject({
      verified: true,
    });
  });
});

describe('an answer of an authenticator is refused', () => {
  const faults: Record<string, () => VirtualPasskey> = {
    'of a page on another site': () =>
      createPasskey({ origin: 'https://evil.example', rpId: 'gate.example' }),
    'bound to another name': () => createPasskey({ origin, rpId: 'evil.example' }),
    'of a device that did not ask its owner': () => createPasskey({ origin, isVerified: false }),
  };
  it.each(Object.entries(faults))('%s, already at its registration', async (_, make) => {
    const asked = publicKeyOf(await alice.must(passkeyApi.beginRegistration, {}, password));
    const reply = await alice.call(passkeyApi.finishRegistration, make().make(asked));
    expect(reply.body.code).toBe('passkey_refused');
    expect(await alice.must(passkeyApi.list, {})).toEqual({ enabled: false, passkeys: [] });
  });

  it('the second time, and after five minutes', async () => {
    const passkey = createPasskey({ origin });
    await add(alice, passkey);
    const browser = browse(house);
    const asked = await ask(browser);
    const shown = passkey.show(asked);
    await browser.must(passkeyApi.finishSignIn, shown);
    for (const again of [shown, passkey.show(asked)])
      expect((await browser.call(passkeyApi.finishSignIn, again)).body.code).toBe('passkey_refused');
    const late = passkey.show(await ask(browser));
    house.time.ms += 300_000;
    expect((await browser.call(passkeyApi.finishSignIn, late)).body.code).toBe('passkey_refused');
  });

  it('in another browser, and for another purpose, than it was asked for', async () => {
    const passkey = createPasskey({ origin });
    await add(alice, passkey);
    const asked = await ask(browse(house));
    expect((await browse(house).call(passkeyApi.finishSignIn, passkey.show(asked))).body.code).toBe(
      'passkey_refused',
    );
    const proof = publicKeyOf(await alice.must(passkeyApi.beginProof, {}));
    const browser = browse(house);
    await ask(browser);
    expect((await browser.call(passkeyApi.finishSignIn, passkey.show(proof))).body.code).toBe(
      'passkey_refused',
    );
  });

  it('of a clone that shows a count again', async () => {
    const passkey = createPasskey({ origin, counter: 7 });
    await add(alice, passkey);
    const browser = browse(house);
    await browser.must(passkeyApi.finishSignIn, passkey.show(await ask(browser)));
    const again = await browser.call(passkeyApi.finishSignIn, passkey.show(await ask(browser)));
    expect(again.body.code).toBe('passkey_refused');
  });

  it('of a banned user', async () => {
    const passkey = createPasskey({ origin });
    await add(alice, passkey);
    const root = await house.person('chief', { role: role.root });
    await root.must(userApi.manage, { id: alice.userId, action: 'disable' });
    const browser = browse(house);
    const reply = await browser.call(passkeyApi.finishSignIn, passkey.show(await ask(browser)));
    expect(reply.body.code).toBe('user_banned');
    expect(browser.cookies.has('session')).toBe(false);
  });
});

describe('the list of passkeys', () => {
  it('has names and last uses, of one’s own only', async () => {
    const [laptop, phone] = [createPasskey({ origin }), createPasskey({ origin })];
    await add(alice, laptop, 'laptop');
    await add(alice, phone);
    const { passkeys } = (await alice.must(passkeyApi.list, {})) as { passkeys: PasskeyData[] };
    expect(passkeys.map(({ name, used_time }) => [name, used_time])).toEqual([
      ['laptop', 0],
      ['', 0],
    ]);
    await alice.must(passkeyApi.rename, { id: passkeys[1]!.id, name: 'phone' });
    const browser = browse(house);
    await browser.must(passkeyApi.finishSignIn, laptop.show(await ask(browser)));
    const after = (await alice.must(passkeyApi.list, {})) as { passkeys: PasskeyData[] };
    expect(after.passkeys.map(({ name, used_time }) => [name, used_time])).toEqual([
      ['laptop', Math.floor(house.time.ms / 1000)],
      ['phone', 0],
    ]);
    const bob = await house.person('bob');
    for (const route of [passkeyApi.rename, passkeyApi.remove]) {
      const reply = await bob.call(route, { id: passkeys[0]!.id, name: 'mine' } as never, password);
      expect(reply.body.code).toBe('row_not_found');
    }
  });

  it('accepts a device once, and no key of another account', async () => {
    const passkey = createPasskey({ origin });
    await add(alice, passkey);
    const bob = await house.person('bob');
    const asked = publicKeyOf(await bob.must(passkeyApi.beginRegistration, {}, password));
    expect((await bob.call(passkeyApi.finishRegistration, passkey.make(asked))).body.code).toBe(
      'passkey_known',
    );
  });

  it('ends two-step sign-in with the last one, and its recovery codes', async () => {
    await add(alice, createPasskey({ origin }));
    const browser = browse(house);
    await alice.must(secondFactorApi.status, {});
    const { passkeys } = (await alice.must(passkeyApi.list, {})) as { passkeys: PasskeyData[] };
    house.time.ms += 900_000;
    const refused = await alice.call(passkeyApi.remove, { id: passkeys[0]!.id }, password);
    expect(refused.body.code).toBe('verify_again');
    const root = await house.person('chief', { role: role.root });
    await root.must(secondFactorApi.resetPasskeys, { id: alice.userId }, password);
    expect((await alice.must(secondFactorApi.status, {})) as FactorStatus).toMatchObject({
      passkeys: 0,
      backup_codes_remaining: 0,
    });
    await browser.must(authApi.login, { username: 'alice', password: testPassword });
    expect(browser.cookies.has('session')).toBe(true);
  });
});

it('passkeys need a host name, not an IP address', async () => {
  for (const address of ['', 'http://192.0.2.1:3000']) {
    await house.core.settings.setMany({ ServerAddress: address });
    const reply = await alice.call(passkeyApi.beginRegistration, {}, password);
    expect(reply.body.code).toBe('passkey_address_missing');
    expect((await house.guest.call(passkeyApi.beginSignIn, {})).body.code).toBe('passkey_address_missing');
  }
});
