import { secretMask } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { defaultSetting, settingOf, settingProblems, settingToSend, typedSecret } from './setting.ts';

const hook = {
  ...defaultSetting,
  notify_type: 'webhook' as const,
  webhook_url: 'https://hook.example/x',
  webhook_secret: secretMask,
};

test('a user without settings has the defaults, and so has one with invalid ones', () => {
  for (const stored of ['', '{}', 'null', '[]', 'no json', '{"notify_type":7,"quota_warning_threshold":-1}'])
    expect(settingOf(stored)).toEqual(defaultSetting);
});

test('what is stored is read back', () => {
  expect(settingOf(JSON.stringify({ ...hook, language: 'en' }))).toEqual(hook);
});

test('notices by webhook need an https address, and a secret stays with its address', () => {
  const problems = (change: object) => settingProblems({ ...hook, ...change }, hook);
  expect(problems({})).toEqual([]);
  expect(problems({ webhook_url: '', webhook_secret: '' })).toEqual([['webhook_url', 'webhookMissing']]);
  for (const url of ['http://hook.example', 'hook.example', 'https://'])
    expect(problems({ webhook_url: url, webhook_secret: '' })).toEqual([['webhook_url', 'webhookInsecure']]);
  expect(problems({ webhook_url: 'https://other.example' })).toEqual([['webhook_secret', 'secretRequired']]);
  expect(problems({ webhook_url: 'https://other.example', webhook_secret: 'new' })).toEqual([]);
});

test('notices by mail need no address, or a valid one, and a threshold above zero', () => {
  const problems = (change: object) => settingProblems({ ...defaultSetting, ...change }, defaultSetting);
  expect(problems({})).toEqual([]);
  expect(problems({ notification_email: 'me@example.com' })).toEqual([]);
  expect(problems({ notification_email: 'me' })).toEqual([['notification_email', 'emailMalformed']]);
  for (const threshold of [0, -5, '', 'many'])
    expect(problems({ quota_warning_threshold: threshold })).toEqual([
      ['quota_warning_threshold', 'thresholdInvalid'],
    ]);
});

test('fields of the other kind of notice are sent as they are stored', () => {
  const half = { ...hook, notify_type: 'email' as const, webhook_url: 'half typed', webhook_secret: '' };
  expect(settingToSend(half, hook)).toEqual({ ...hook, notify_type: 'email' });
  const mail = { ...hook, notification_email: 'half typed' };
  expect(settingToSend(mail, defaultSetting)).toEqual({ ...mail, notification_email: '' });
});

test('characters typed after the mask of a secret are a new secret', () => {
  expect(typedSecret(secretMask)).toBe(secretMask);
  expect(typedSecret(`${secretMask}abc`)).toBe('abc');
  expect(typedSecret('abc')).toBe('abc');
  expect(typedSecret('')).toBe('');
});
