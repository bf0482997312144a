import { attentionApi, channelApi, optionApi, pricesApi, role } from '@tollgate/contract';
import { beforeEach, expect, it } from 'vitest';
import type { Agent } from '../../../testing/agent.ts';
import { openHouse, operatorCalls } from '../../../testing/harness.ts';

let root: Agent;
beforeEach(async () => {
  const house = await openHouse({ routes: operatorCalls });
  root = await house.person('chief', { role: role.root });
  return () => house.close();
});

const save = async (options: Record<string, string>) => {
  for (const [key, value] of Object.entries(options)) await root.must(optionApi.update, { key, value });
};
const blocks = async () => {
  const { settings } = (await root.must(attentionApi.get, {})) as {
    settings: { key: string; reason: string }[];
  };
  return settings.map(({ key }) => key);
};

it('a new site blocks nobody', async () => {
  expect(await blocks()).toEqual([]);
});

it.each([
  ['the demo mode', { DemoSiteEnabled: 'true' }, ['DemoSiteEnabled']],
  ['no method of sign-in', { PasswordLoginEnabled: 'false' }, ['PasswordLoginEnabled']],
  [
    'sign-up by a method that does not sign in',
    { GitHubClientId: 'gate', GitHubOAuthEnabled: 'true', PasswordLoginEnabled: 'false' },
    ['PasswordRegisterEnabled'],
  ],
  ['sign-up without a method', { PasswordRegisterEnabled: 'false' }, ['PasswordRegisterEnabled']],
  [
    'payment without an address',
    { PayAddress: 'https://pay.example', EpayId: '7', EpayKey: 'secret' },
    ['ServerAddress'],
  ],
])('names the setting that mends %s', async (_case, options, keys) => {
  await save(options);
  expect(await blocks()).toEqual(keys);
});

it.each([
  ['sign-up is off', { RegisterEnabled: 'false', PasswordRegisterEnabled: 'false' }],
  [
    'a provider signs people in and up',
    {
      GitHubClientId: 'gate',
      GitHubOAuthEnabled: 'true',
      PasswordLoginEnabled: 'false',
      PasswordRegisterEnabled: 'false',
    },
  ],
  [
    'payments report to an address of their own',
    {
      PayAddress: 'https://pay.example',
      EpayId: '7',
      EpayKey: 'secret',
      CustomCallbackAddress: 'https://back.example',
    },
  ],
])('names none where %s', async (_case, options) => {
  await save(options);
  expect(await blocks()).toEqual([]);
});

it('names what a toggle needs if it was emptied after the toggle was turned on', async () => {
  await save({ SMTPServer: 'mail.example', EmailVerificationEnabled: 'true' });
  expect(await blocks()).toEqual([]);
  await save({ SMTPServer: '' });
  expect(await root.must(attentionApi.get, {})).toMatchObject({
    settings: [{ key: 'SMTPServer', reason: expect.stringContaining('邮箱验证') }],
  });
});

it('the offered models without a price are counted', async () => {
  const models = 'gpt-4o,new-a,new-b';
  await root.must(channelApi.create, { type: 1, name: 'main', key: 'sk-secret-key', models });
  expect(await root.must(attentionApi.get, {})).toMatchObject({ unpriced: 2 });
  await root.must(pricesApi.update, { changes: [{ model: 'new-a', set: { ModelPrice: 1 }, seen: {} }] });
  expect(await root.must(attentionApi.get, {})).toMatchObject({ unpriced: 1 });
});

it('the number of retries is part of the same answer', async () => {
  await root.must(optionApi.update, { key: 'RetryTimes', value: '3' });
  expect(await root.must(attentionApi.get, {})).toMatchObject({ retries: 3 });
});
