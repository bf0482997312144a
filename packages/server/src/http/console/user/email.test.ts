import { authApi, emailApi, selfApi } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { users } from '../../../store/index.ts';
import { type House, openHouse, testPassword } from '../../../testing/harness.ts';
import { type MailServer, type ReceivedMail, startMailsOf } from '../../../testing/upstream/mail-server.ts';

const address = 'ann@example.com';
let house: House;
let server: MailServer;
beforeEach(async () => {
  house = await openHouse();
  server = await startMailsOf(house);
});
afterEach(async () => {
  expect(await house.findings()).toEqual([]);
  await house.close();
  await server.close();
});

/** All mails sent so far. */
const mails = async (): Promise<readonly ReceivedMail[]> => {
  await house.mails.idle();
  return server.mails;
};
const lastMail = async (): Promise<ReceivedMail> => (await mails()).at(-1)!;
const codeIn = ({ text }: ReceivedMail): string => /\b\d{6}\b/.exec(text)?.[0] ?? 'none';
const sendCode = (email = address) => house.guest.call(emailApi.sendCode, { email });
/** A code for an address, requested half a minute after the previous one. */
async function codeFor(email = address): Promise<string> {
  house.time.ms += 30_000;
  expect((await sendCode(email)).body).toEqual({ success: true, message: '', data: null });
  return codeIn(await lastMail());
}
const signUp = (username: string, email: string, code: string) =>
  house.guest.call(authApi.register, { username, password: testPassword, email, verification_code: code });
const giveEmail = (userId: number, email: string) => users.update(house.core.store.db, userId, { email });

describe('a code by mail', () => {
  it('has six digits, in the language of the request, as HTML and as text', async () => {
    expect(await codeFor()).toMatch(/^\d{6}$/);
    const mail = await lastMail();
    expect(mail).toMatchObject({ to: [address], headers: { subject: 'Gate邮箱验证邮件' } });
    expect(mail.body).toContain(codeIn(mail));
    house.guest.headers['accept-language'] = 'en';
    await codeFor();
    const english = await lastMail();
    expect(english.headers.subject).toBe('Gate: your verification code');
    expect(english.text).toContain('Your code is:');
  });

  it('signs up one user, once, and is kept when the name is already taken', async () => {
    await house.core.settings.set('EmailVerificationEnabled', 'true');
    expect((await signUp('ann', '', '')).body.code).toBe('email_code_missing');
    const code = await codeFor('Ann@Example.com');
    await house.person('bob');
    expect((await signUp('bob', address, code)).body.code).toBe('username_taken');
    expect((await signUp('ann', address, code)).body.success).toBe(true);
    expect((await signUp('ann2', address, code)).body.code).toBe('email_code_wrong');
    expect(await (await house.signIn(address)).must(selfApi.get, {})).toMatchObject({
      username: 'ann',
      email: address,
    });
  });

  it('signs up one of two concurrent users', async () => {
    await house.core.settings.set('EmailVerificationEnabled', 'true');
    const code = await codeFor();
    const both = await Promise.all([signUp('ann', address, code), signUp('eve', address, code)]);
    expect(both.filter(({ body }) => body.success)).toHaveLength(1);
  });

  it('is invalid after five guesses, ten minutes, or another code', async () => {
    await house.core.settings.set('EmailVerificationEnabled', 'true');
    const refused = async (code: string) =>
      expect((await signUp('ann', address, code)).body.code).toBe('email_code_wrong');
    const guessed = await codeFor();
    for (let i = 0; i < 5; i += 1) await refused('no');
    await refused(guessed);
    const old = await codeFor();
    house.time.ms += 600_000;
    await refused(old);
    const former = await codeFor();
    const latest = await codeFor();
    if (former !== latest) await refused(former);
    expect((await signUp('ann', address, latest)).body.success).toBe(true);
  });

  it('is sent to an address once in half a minute and ten times in an hour', async () => {
    expect((await sendCode()).body.success).toBe(true);
    const refusal = await sendCode(' ANN@example.com ');
    expect(refusal).toMatchObject({ status: 429, body: { code: 'mail_too_soon' } });
    expect(refusal.headers['retry-after']).toBe('30');
    for (let i = 0; i < 9; i += 1) await codeFor();
    house.time.ms += 30_000;
    expect((await sendCode()).body.code).toBe('mail_too_soon');
    expect(await mails()).toHaveLength(10);
  });

  it('goes to a mailbox as often however its address is written', async () => {
    await codeFor();
    const spellings = [address.toUpperCase(), `1;${address}`, `2;${address}`, `${address}.`, `${address};`];
    for (const spelling of [...spellings, 'ann@ｅxample.com', 'an\u200bn@example.com', 'ann@example。com'])
      expect(['email_malformed', 'mail_too_soon']).toContain((await sendCode(spelling)).body.code);
    expect(await mails()).toHaveLength(1);
  });

  it('is sent for no page of another site, nor is a link for a new password', async () => {
    house.guest.headers['sec-fetch-site'] = 'cross-site';
    const asked = [await sendCode(), await house.guest.call(emailApi.askReset, { email: address })];
    expect(asked.map(({ body }) => body.code)).toEqual(['cross_site', 'cross_site']);
    expect(await mails()).toEqual([]);
  });

  it('goes to the address that it proves, in that spelling', async () => {
    await codeFor('Ann@Example.COM');
    expect((await lastMail()).to).toEqual([address]);
  });

  it('tells nobody but the owner whether an address is taken', async () => {
    const bob = await house.person('bob');
    await giveEmail(bob.userId, 'bob@example.com');
    const free = await sendCode();
    const taken = await sendCode('bob@example.com');
    expect({ ...taken.body, request_id: '' }).toEqual({ ...free.body, request_id: '' });
    expect(taken.status).toBe(free.status);
    const toBob = (await mails()).find((mail) => mail.to[0] === 'bob@example.com')!;
    expect(toBob.headers.subject).toBe('Gate：此邮箱已注册');
    expect(codeIn(toBob)).toBe('none');
  });

  it('is sent to allowed domains and plain names only, while the operator requires that', async () => {
    await house.core.settings.setMany({
      EmailDomainRestrictionEnabled: 'true',
      EmailDomainWhitelist: 'example.com,school.example',
      EmailAliasRestrictionEnabled: 'true',
    });
    const codes = async (email: string) => (await sendCode(email)).body.code;
    expect(await codes('ann@mail.example.com')).toBe('email_domain_refused');
    expect(await codes('ann+1@example.com')).toBe('email_alias_refused');
    expect(await codes('a.nn@example.com')).toBe('email_alias_refused');
    expect(await codes('nonsense')).toBe('email_malformed');
    expect(await codes('ann@SCHOOL.example')).toBeUndefined();
  });

  it('is refused with the cause where no mail server is configured', async () => {
    await house.core.settings.set('SMTPServer', '');
    expect((await sendCode()).body).toMatchObject({
      code: 'smtp_not_configured',
      message: 'SMTP 服务器未配置',
    });
    expect((await house.guest.call(emailApi.askReset, { email: address })).body.code).toBe(
      'smtp_not_configured',
    );
    const on = house.core.settings.set('EmailVerificationEnabled', 'true');
    await expect(on).rejects.toMatchObject({ code: 'email_verification_without_smtp' });
  });

  it('is stored only as a keyed hash', async () => {
    const code = await codeFor();
    const rows = await house.core.store.db.selectFrom('mail_codes').selectAll().execute();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(code);
    expect(rows[0]!.code_hash).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('binding an address', () => {
  it('needs the code and the password, and notifies the former owner', async () => {
    const ann = await house.person('ann');
    await giveEmail(ann.userId, 'old@example.com');
    const code = await codeFor('new@example.com');
    const input = { email: 'New@Example.com', code };
    expect((await ann.call(emailApi.bind, input)).body.code).toBe('password_required');
    expect(
      (await ann.call(emailApi.bind, { ...input, code: 'no' }, { password: testPassword })).body.code,
    ).toBe('email_code_wrong');
    await ann.must(emailApi.bind, input, { password: testPassword });
    expect(await ann.must(selfApi.get, {})).toMatchObject({ email: 'new@example.com' });
    expect(await lastMail()).toMatchObject({
      to: ['old@example.com'],
      headers: { subject: 'Gate：账户安全提醒' },
    });
  });

  it('works by GET as well, but never from another site', async () => {
    const ann = await house.person('ann');
    const input = { email: address, code: await codeFor() };
    ann.headers['sec-fetch-site'] = 'cross-site';
    expect((await ann.call(emailApi.bindByGet, input, { password: testPassword })).body.code).toBe(
      'cross_site',
    );
    delete ann.headers['sec-fetch-site'];
    expect((await ann.call(emailApi.bindByGet, input, { password: testPassword })).body.success).toBe(true);
  });

  it('fails for an address that another user has got meanwhile', async () => {
    const ann = await house.person('ann');
    const bob = await house.person('bob');
    const code = await codeFor();
    await giveEmail(bob.userId, address);
    const reply = await ann.call(emailApi.bind, { email: address, code }, { password: testPassword });
    expect(reply.body.code).toBe('email_taken');
  });
});

describe('a forgotten password', () => {
  const askReset = (email: string) => house.guest.call(emailApi.askReset, { email });
  const linkIn = ({ text }: ReceivedMail): URL => new URL(/https:\S+/.exec(text)![0]);

  it('is replaced once by the link that was mailed to its owner; all sessions of the old one end', async () => {
    const ann = await house.person('ann');
    await giveEmail(ann.userId, address);
    const accessToken = String(await ann.must(selfApi.accessToken, {}, { password: testPassword }));
    expect((await askReset(address)).body).toEqual({ success: true, message: '', data: null });
    const link = linkIn(await lastMail());
    expect(link.origin + link.pathname).toBe('https://gate.example/user/reset');
    const input = { email: link.searchParams.get('email')!, token: link.searchParams.get('token')! };
    expect((await house.guest.call(emailApi.reset, { ...input, token: 'no' })).body).toMatchObject({
      message: '重置链接非法或已过期',
    });
    const password = String(await house.guest.must(emailApi.reset, input));
    expect(password).toMatch(/^[0-9a-f]{12}$/);
    expect((await ann.call(selfApi.get, {})).status).toBe(401);
    const byToken = await house.guest.send({
      method: 'GET',
      url: '/api/user/self',
      headers: { authorization: accessToken, 'new-api-user': String(ann.userId) },
    });
    expect(byToken.body.success).toBe(false);
    await house.signIn('ann', password);
    expect((await house.guest.call(emailApi.reset, input)).body.code).toBe('reset_link_invalid');
    expect((await lastMail()).headers.subject).toBe('Gate：账户安全提醒');
  });

  it('is answered alike for an unknown address, and no mail is sent there', async () => {
    const ann = await house.person('ann');
    await giveEmail(ann.userId, address);
    const known = await askReset(address);
    const unknown = await askReset('nobody@example.com');
    expect({ ...unknown.body, request_id: '' }).toEqual({ ...known.body, request_id: '' });
    expect((await mails()).map((mail) => mail.to[0])).toEqual([address]);
    expect((await askReset('nobody@example.com')).body.code).toBe((await askReset(address)).body.code);
  });

  it('never has a link to an address from the request', async () => {
    await house.core.settings.set('ServerAddress', '');
    const reply = await house.guest.send({
      method: 'GET',
      url: `/api/reset_password?email=${address}`,
      headers: { host: 'evil.example' },
    });
    expect(reply.body.code).toBe('server_address_missing');
    expect(await mails()).toEqual([]);
  });
});
