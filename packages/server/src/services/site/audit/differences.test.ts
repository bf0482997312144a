import { secretMask } from '@tollgate/contract';
import { expect, it } from 'vitest';
import { differences } from './differences.ts';

it('are the fields that really changed, with their values before and after', () => {
  const before = { name: 'a', group: 'default', remark: null, status: 1 };
  expect(differences(before, { name: 'a', group: 'vip', remark: 'new' })).toEqual({
    group: { before: 'default', after: 'vip' },
    remark: { before: null, after: 'new' },
  });
});

it('never have a secret: only whether there was one, and that it changed', () => {
  const before = { password: '', key_sealed: 's1', key_hash: 'h1', access_token_hash: 'x', SMTPToken: 'a' };
  const after = {
    password: 'argon',
    key_sealed: 's2',
    key_hash: 'h2',
    access_token_hash: null,
    SMTPToken: 'b',
  };
  expect(differences(before, after)).toEqual({
    password: { before: '', after: secretMask },
    key: { before: secretMask, after: secretMask },
    access_token: { before: secretMask, after: '' },
    SMTPToken: { before: secretMask, after: secretMask },
  });
});

it('compare JSON objects member by member, without the secrets in them however deep', () => {
  const before = { setting: '{"a":1,"webhook_secret":"old","deep":{"key":"k1","x":1}}' };
  const after = { setting: '{"a":2,"webhook_secret":"new","deep":{"key":"k2","x":1}}' };
  expect(differences(before, after)).toEqual({
    'setting.a': { before: 1, after: 2 },
    'setting.webhook_secret': { before: secretMask, after: secretMask },
    'setting.deep': {
      before: `{"key":"${secretMask}","x":1}`,
      after: `{"key":"${secretMask}","x":1}`,
    },
  });
});

it('are bounded: long texts are cut and many fields counted', () => {
  const { text } = differences({ text: '' }, { text: 'y'.repeat(5_000) });
  expect(text?.after).toBe(`${'y'.repeat(2_000)}… (5000)`);
  const prices = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`m${n}`, n]));
  const many = differences({ ModelRatio: '{}' }, { ModelRatio: JSON.stringify(prices) });
  expect(Object.keys(many)).toHaveLength(101);
  expect(many['…']).toEqual({ before: null, after: 150 });
});
