import { fillWords, keptTexts } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { wireWords } from './wire-words.ts';

test.each([
  ['通过兑换码充值 100000 点额度，兑换码ID 7', 'Redeemed 100000 units with code #7'],
  ['当前分组 vip 下对于模型 gpt-4o 无可用渠道', 'No available channel for the model gpt-4o in the group vip'],
  ['status 502: 请求上游地址失败', 'status 502: The upstream could not be reached'],
  [
    '模型倍率 1.25，补全倍率 4.00，分组倍率 1.00（可能是上游超时）',
    'model ratio 1.25, completion ratio 4.00, group ratio 1.00 (the upstream may have timed out)',
  ],
  ['a word of a vendor', 'a word of a vendor'],
])('%s is shown in English', (text, words) => {
  expect(wireWords(text, 'en')).toBe(words);
  expect(wireWords(text, 'zh')).toBe(text);
});

test.each([
  ['新用户注册赠送 ＄200.000000 额度', '新用户注册赠送 ＄200.00 额度', 'Gift for signing up: $200.00'],
  [
    '通过兑换码充值 ＄0.200000 额度，兑换码ID 7',
    '通过兑换码充值 ＄0.200000 额度，兑换码ID 7',
    'Redeemed $0.200000 with code #7',
  ],
  [
    '管理员将用户额度从 ＄-0.500000 额度修改为 ＄2.500000 额度',
    '管理员将用户额度从 ＄-0.50 额度修改为 ＄2.50 额度',
    'An administrator changed the quota from $-0.50 to $2.50',
  ],
])('amounts of %s have the precision of the console', (text, zh, en) => {
  expect(wireWords(text, 'zh')).toBe(zh);
  expect(wireWords(text, 'en')).toBe(en);
});

test.each(Object.entries(keptTexts))(
  'the row text %s is shown in English, with its values',
  (_name, { zh, en }) => {
    const slots = [...zh.matchAll(/\{(\w+)\}/g)].map(([, slot]) => slot!);
    const values = Object.fromEntries(slots.map((slot, index) => [slot, `${index}.5`]));
    expect(wireWords(fillWords(zh, values), 'en')).toBe(fillWords(en, values));
  },
);
