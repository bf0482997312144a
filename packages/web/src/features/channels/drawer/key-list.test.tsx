import { screen, within } from '@testing-library/react';
import {
  channelApi,
  channelHealthApi,
  type ChannelKeyData,
  groupApi,
  modelApi,
  pricesApi,
} from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../../testing/fake-server.ts';
import { renderPage } from '../../../testing/render-page.tsx';
import { channelSample, channelTypeSample, people, priceTablesSample } from '../../../testing/samples.ts';

const several = channelSample({
  channel_info: { is_multi_key: true, multi_key_size: 3, multi_key_mode: 'polling' },
});
const keyOf = (index: number, more: Partial<ChannelKeyData> = {}): ChannelKeyData => ({
  index,
  id: `k${index}`,
  status: 1,
  disabled_time: 0,
  reason: '',
  key_preview: `••••000${index}`,
  uses: index,
  cooldown_until: 0,
  limits: {},
  ...more,
});
const keys = [
  keyOf(0),
  keyOf(1, { status: 3, reason: 'refused by the vendor', disabled_time: 1_700_000_000 }),
  keyOf(2, { cooldown_until: 4_000_000_000, limits: { tokens_per_minute: 90_000, dollars_per_day: 5 } }),
];
const siteOf = () =>
  new FakeServer()
    .answer(channelHealthApi.report, { since: 0, step: 300, rows: [] })
    .answer(channelApi.list, { data: [several], extra: { total: 1 } })
    .answer(channelApi.get, several)
    .answer(channelApi.types, [
      channelTypeSample({ type: 1, id: 'openai', name: { zh: 'OpenAI', en: 'OpenAI' } }),
    ])
    .answer(channelApi.testProgress, { running: false, total: 0, done: 0, failed: 0, failures: [] })
    .answer(groupApi.list, ['default'])
    .answer(modelApi.byType, { 1: ['gpt-4o'] })
    .answer(channelApi.models, [])
    .answer(pricesApi.list, priceTablesSample({ 'gpt-4o': 1.25 }));

async function openKeys() {
  const server = siteOf()
    .answer(channelApi.update, several)
    .answer(channelApi.manageKeys, (input) => {
      if (input.action !== 'get_key_status') return input.action === 'delete_disabled_keys' ? 1 : null;
      const counts = { enabled_count: 2, manual_disabled_count: 0, auto_disabled_count: 1 };
      return { keys, total: 3, page: 1, page_size: 10, total_pages: 1, ...counts };
    });
  const user = renderPage('/channel?edit=3', { server, as: people.admin });
  const drawer = within(await screen.findByRole('dialog', { name: 'Edit the channel' }));
  const list = within(await drawer.findByRole('region', { name: '3 keys' }));
  const asked = () =>
    server.inputs(channelApi.manageKeys).filter(({ action }) => action !== 'get_key_status');
  return { asked, user, drawer, list, server };
}

test('each key is shown with its state, why, and how often it was used', async () => {
  const { drawer, list } = await openKeys();
  drawer.getByText(/3 keys are set; leave empty to keep them/);
  drawer.getByDisplayValue('One channel, in turn');
  for (const words of [
    '2 on, 0 switched off, 1 auto-disabled',
    '#2 ••••0001',
    /^used once/,
    /refused by the vendor/,
    'Auto-disabled',
    'Cooling down',
  ])
    expect(list.getAllByText(words, { ignore: 'option' })).not.toEqual([]);
});

test('a key is switched in one click, and deleted after a question', async () => {
  const { user, list, asked } = await openKeys();
  await user.click(list.getByRole('button', { name: 'Disable the key #1 ••••0000' }));
  await expect.poll(asked).toEqual([{ channel_id: 3, action: 'disable_key', key_ref: 'k0' }]);
  await user.click(list.getByRole('button', { name: 'Enable the key #2 ••••0001' }));
  await expect.poll(() => asked().at(-1)).toEqual({ channel_id: 3, action: 'enable_key', key_ref: 'k1' });
  for (const [button, title, action, more] of [
    [
      'Delete the key #3 ••••0002',
      'Delete the key #3 ••••0002?',
      'Delete',
      { action: 'delete_key', key_ref: 'k2' },
    ],
    [
      'Delete auto-disabled',
      'Delete the auto-disabled key?',
      'Delete auto-disabled',
      { action: 'delete_disabled_keys' },
    ],
    ['Disable all', 'Disable all keys of “main”?', 'Disable all', { action: 'disable_all_keys' }],
  ] as const) {
    const before = asked().length;
    await user.click(list.getByRole('button', { name: button }));
    const question = within(await screen.findByRole('dialog', { name: title }));
    expect(asked()).toHaveLength(before);
    await user.click(await question.findByRole('button', { name: action }));
    await expect.poll(() => asked().at(-1)).toEqual({ channel_id: 3, ...more });
  }
});

test.each(['append', 'replace'])(
  'keys that are entered are sent with what becomes of the others: %s',
  async (place) => {
    const { user, drawer, server } = await openKeys();
    await user.click(drawer.getByRole('textbox', { name: 'Key' }));
    await user.paste('sk-new-1\nsk-new-2');
    await user.click(drawer.getByDisplayValue('Are added to those that are set'));
    const words = place === 'append' ? /Are added to those/ : /Replace all/;
    await user.click(await screen.findByRole('option', { hidden: true, name: words }));
    await user.click(drawer.getByRole('button', { name: 'Save' }));
    await expect
      .poll(() => server.inputs(channelApi.update))
      .toEqual([{ id: 3, key: 'sk-new-1\nsk-new-2', key_mode: place }]);
  },
);

test.each([
  ['One channel for each', {}],
  ['One channel, least used first', { mode: 'multi_to_single', multi_key_mode: 'least_used' }],
])('several keys of a new channel make what is chosen: %s', async (choice, sent) => {
  const server = siteOf().answer(channelApi.create, [several]);
  const user = renderPage('/channel?edit=new', { server, as: people.admin });
  const form = within(await screen.findByRole('dialog', { name: 'Add a channel' }));
  await form.findByDisplayValue('OpenAI');
  expect(form.queryByDisplayValue('One channel for each')).toBeNull();
  await user.type(form.getByRole('textbox', { name: 'Name' }), 'many');
  await user.click(form.getByRole('textbox', { name: 'Key' }));
  await user.paste('sk-1\nsk-2');
  await user.click(form.getByDisplayValue('One channel for each'));
  await user.click(await screen.findByRole('option', { hidden: true, name: choice }));
  await user.click(form.getByRole('button', { name: 'Fill in the provider’s' }));
  await user.click(form.getByRole('button', { name: 'Create' }));
  await expect.poll(() => server.inputs(channelApi.create)).toMatchObject([{ key: 'sk-1\nsk-2', ...sent }]);
  expect('mode' in server.inputs(channelApi.create)[0]!).toBe('mode' in sent);
});

test('the limits of a key are shown and changed', async () => {
  const { user, list, asked } = await openKeys();
  list.getByText(/tokens a minute: 90,000 · \$5 a day/);
  await user.click(list.getByRole('button', { name: 'Limits of the key #3 ••••0002' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Limits of the key #3 ••••0002' }));
  await user.clear(dialog.getByRole('textbox', { name: 'Tokens a minute' }));
  await user.type(dialog.getByRole('textbox', { name: 'Calls at once' }), '4');
  await user.click(dialog.getByRole('button', { name: 'Save limits' }));
  await expect
    .poll(asked)
    .toEqual([
      { channel_id: 3, action: 'limit_key', key_ref: 'k2', limits: { calls_at_once: 4, dollars_per_day: 5 } },
    ]);
  await expect.poll(() => screen.queryByRole('dialog', { name: 'Limits of the key #3 ••••0002' })).toBeNull();
});
