import type { ChannelData } from '@tollgate/contract';
import { expect, it } from 'vitest';
import { formOf, newChannelForm, toCall } from './form.ts';

const channelWith = (setting: string) => ({ ...toCall(newChannelForm, undefined), setting }) as ChannelData;

it.each([
  ['', {}],
  ['{"no_stream_usage":true,"protocols":"chat"}', { noStreamUsage: true, protocols: 'chat' }],
  ['{"price_after_mapping":true}', { priceAfterMapping: true }],
  ['{"region":"eu","no_retention":true}', { region: 'eu', noRetention: true }],
  ['{"system_prompt":"Be brief."}', { systemPrompt: 'Be brief.', systemPlace: 'if-none' }],
  ['{"system_prompt":"Be brief.","system_prompt_override":true}', { systemPlace: 'before' }],
  ['{"system_prompt":"Be brief.","system_prompt_override":"instead"}', { systemPlace: 'instead' }],
  ['{"protocols":"all"}', { noStreamUsage: false, protocols: 'all' }],
  ['{"drain":true,"of_another_program":1}', { drain: true, protocols: 'auto' }],
])('the settings %s of a channel are shown, and stay as they are', (setting, shown) => {
  const channel = channelWith(setting);
  const form = formOf(channel);
  expect(form).toMatchObject(shown);
  expect(JSON.parse(toCall(form, channel).setting || '{}')).toEqual(JSON.parse(setting || '{}'));
});

it('what is set back to automatic is taken out of the settings', () => {
  const channel = channelWith('{"protocols":"chat"}');
  expect(toCall({ ...formOf(channel), protocols: 'auto' }, channel).setting).toBe('');
});
