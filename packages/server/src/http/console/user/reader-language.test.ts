import {
  authApi,
  defaultGroupWords,
  defaultNames,
  emailApi,
  selfApi,
  tokenApi,
  type TokenData,
  userApi,
} from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { users } from '../../../store/index.ts';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse, testPassword } from '../../../testing/harness.ts';
import { type MailServer, startMailsOf } from '../../../testing/upstream/mail-server.ts';

const address = 'ann@example.com';
const languages = ['zh', 'en'] as const;
const other = { zh: 'en', en: 'zh' } as const;

let house: House;
let ann: Agent;
beforeEach(async () => {
  house = await openHouse({ env: { GENERATE_DEFAULT_TOKEN: 'true' } });
  ann = await house.person('ann');
});
afterEach(() => house.close());

const keep = (agent: Agent, language: 'zh' | 'en' | '') => agent.must(selfApi.language, { language });
/** A refusal that follows the identification of the caller. */
const refusalTo = async (agent: Agent): Promise<string> =>
  String((await agent.call(userApi.list, {})).body.message);
const refusals = { zh: '权限不足', en: 'insufficient' };
const groupTo = async (agent: Agent): Promise<string | undefined> => {
  const groups = (await agent.must(selfApi.groups, {})) as Record<string, { desc: string }>;
  return groups['default']?.desc;
};

describe.each(languages)('a user whose language is %s', (language) => {
  it('is answered in it, by session and by access token, unless Accept-Language names another', async () => {
    await keep(ann, language);
    const token = String(await ann.must(selfApi.accessToken, {}, { password: testPassword }));
    const headers = [ann.headers, { authorization: token, 'new-api-user': String(ann.userId) }];
    for (const each of headers) {
      ann.headers = { ...each };
      expect(await groupTo(ann)).toBe(defaultGroupWords.default[language]);
      expect(await refusalTo(ann)).toContain(refusals[language]);
      ann.headers['accept-language'] = other[language];
      expect(await groupTo(ann)).toBe(defaultGroupWords.default[other[language]]);
      expect(await refusalTo(ann)).toContain(refusals[other[language]]);
      ann.headers['accept-language'] = 'fr-FR';
      expect(await groupTo(ann)).toBe(defaultGroupWords.default[language]);
    }
  });
});

it('a user without one is answered in Chinese, which clients of this API match on', async () => {
  expect(await groupTo(ann)).toBe(defaultGroupWords.default.zh);
  await keep(ann, 'en');
  await keep(ann, '');
  expect(await groupTo(ann)).toBe(defaultGroupWords.default.zh);
  expect(await refusalTo(ann)).toContain(refusals.zh);
});

it('a user without one, and a guest, are answered in the default language of a site that has one', async () => {
  await house.core.settings.set('DefaultLanguage', 'en');
  expect(await groupTo(ann)).toBe(defaultGroupWords.default.en);
  expect(await refusalTo(ann)).toContain(refusals.en);
  const unknown = await house.guest.call(authApi.login, { username: 'ann', password: 'wrong' });
  expect(unknown.body.message).toMatch(/^[ -~]+$/);
  await keep(ann, 'zh');
  expect(await refusalTo(ann)).toContain(refusals.zh);
});

it('a damaged row of settings refuses no request', async () => {
  await users.update(house.core.store.db, ann.userId, { setting: '{"language":"en' });
  expect(await groupTo(ann)).toBe(defaultGroupWords.default.zh);
});

it.each(languages)('a first token is named in the language of the sign-up (%s)', async (language) => {
  house.guest.headers['accept-language'] = language;
  const made = { username: 'newcomer', password: testPassword };
  expect((await house.guest.call(authApi.register, made)).body.success).toBe(true);
  const newcomer = await house.signIn('newcomer');
  const [token] = (await newcomer.must(tokenApi.list, {})) as TokenData[];
  expect(token?.name).toBe(defaultNames.firstToken[language].replace('{username}', 'newcomer'));
});

describe('mails about an account', () => {
  let server: MailServer;
  beforeEach(async () => {
    server = await startMailsOf(house);
    await users.update(house.core.store.db, ann.userId, { email: address });
  });
  afterEach(() => server.close());

  const lastSubject = async (): Promise<string> => {
    await house.mails.idle();
    return server.mails.at(-1)?.headers['subject'] ?? '';
  };
  const subjects = {
    reset: { zh: 'Gate密码重置', en: 'Gate: reset your password' },
    taken: { zh: 'Gate：此邮箱已注册', en: 'Gate: you have an account already' },
    changed: { zh: 'Gate：账户安全提醒', en: 'Gate: a change of your account' },
  };

  it.each(languages)(
    'are in the recipient’s language (%s), no matter who requests them',
    async (language) => {
      await keep(ann, language);
      house.guest.headers['accept-language'] = other[language];
      await house.guest.must(emailApi.askReset, { email: address });
      expect(await lastSubject()).toBe(subjects.reset[language]);
      house.time.ms += 30_000;
      const { text } = server.mails.at(-1)!;
      const token = /token=([^&\s]+)/.exec(text)?.[1] ?? '';
      await house.guest.must(emailApi.reset, { email: address, token });
      expect(await lastSubject()).toBe(subjects.changed[language]);
      await house.guest.must(emailApi.sendCode, { email: address });
      expect(await lastSubject()).toBe(subjects.taken[language]);
    },
  );

  it.each(languages)(
    'are in the language of the request where the account has none (%s)',
    async (language) => {
      house.guest.headers['accept-language'] = language;
      await house.guest.must(emailApi.askReset, { email: address });
      expect(await lastSubject()).toBe(subjects.reset[language]);
    },
  );
});
