import { screen, within } from '@testing-library/react';
import {
  attentionApi,
  channelApi,
  channelHealthApi,
  channelStatus,
  groupApi,
  modelApi,
  pricesApi,
  testOutcome,
  type ChannelData,
} from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import {
  channelSample,
  channelTypeSample,
  people,
  priceTablesSample,
  sampleTime,
} from '../../testing/samples.ts';

const listOf = (...channels: ChannelData[]) => ({ data: channels, extra: { total: channels.length } });
const siteWith = (...channels: ChannelData[]) =>
  new FakeServer()
    .answer(channelApi.list, listOf(...channels))
    .answer(channelApi.types, [channelTypeSample()])
    .answer(channelApi.testProgress, { running: false, total: 0, done: 0, failed: 0, failures: [] })
    .answer(channelHealthApi.report, { since: 0, step: 300, rows: [] })
    .answer(groupApi.list, ['default'])
    .answer(modelApi.byType, { 1: ['gpt-4o'] })
    .answer(channelApi.models, [])
    .answer(pricesApi.list, priceTablesSample());

test('channels are listed with their provider, state and use', async () => {
  const failed = {
    status: channelStatus.autoDisabled,
    test_outcome: testOutcome.failed,
    test_time: sampleTime,
  };
  const server = siteWith(
    channelSample({ name: 'main' }),
    channelSample({ id: 4, name: 'spare', ...failed }),
  );
  renderPage('/channel', { server, as: people.admin });
  const main = await screen.findByRole('row', { name: /main/ });
  await expect.poll(() => main.textContent).toMatch(/OpenAI.*Enabled.*\$1\.00/);
  expect((await screen.findByRole('row', { name: /spare/ })).textContent).toMatch(/failed/i);
});

test.each([
  ['en', 'Enabled · failing', /failing · The upstream answered 401: Incorrect API key · Tested at/],
  ['zh', '已启用 · 异常', /异常 · 上游返回 401：Incorrect API key · 测试于/],
] as const)(
  'an enabled channel whose test failed is not shown as healthy, in %s',
  async (language, word, why) => {
    const failure = { cause: 'status', status: 401, message: 'Incorrect API key', model: 'gpt-4o' } as const;
    const bad = { test_outcome: testOutcome.failed, test_failure: failure, test_time: sampleTime };
    const channels = [channelSample({ name: 'main' }), channelSample({ id: 4, name: 'spare', ...bad })];
    const server = siteWith(...channels).answer(channelApi.search, channels);
    const user = renderPage('/channel?status=failing', { server, as: people.admin, language });
    // The state is a column at every width, and in the corner of each card.
    const state = await screen.findByLabelText(why);
    expect(state.textContent).toBe(word);
    expect(state.querySelector('[data-tone]')?.getAttribute('data-tone')).toBe('bad');
    expect(screen.queryByRole('row', { name: /main/ })).toBeNull();
    expect(server.inputs(channelApi.search)).toMatchObject([{ status: channelStatus.enabled }]);
    await user.tab();
    state.focus();
    expect((await screen.findByRole('tooltip')).textContent).toMatch(why);
  },
);

test('the channels of a tag unfold in the columns of the list', async () => {
  const server = siteWith(
    channelSample({ name: 'main', tag: 'spring' }),
    channelSample({ id: 4, name: 'spare', tag: 'spring' }),
  );
  const user = renderPage('/channel?tags=true', { server, as: people.admin });
  const tag = await screen.findByRole('row', { name: /2 channels/ });
  await user.click(within(tag).getByRole('button', { name: 'Expand' }));
  const spare = await screen.findByRole('row', { name: /spare/ });
  const cells = (row: HTMLElement) => within(row).getAllByRole('cell').length;
  expect(cells(spare)).toBe(cells(tag));
  expect(screen.getAllByRole('table').length).toBe(1);
});

test('a user who may change it is shown that failed calls are not retried on another channel', async () => {
  const two = [channelSample({ name: 'main' }), channelSample({ id: 4, name: 'spare' })];
  const server = siteWith(...two).answer(attentionApi.get, { unpriced: 0, settings: [], retries: 0 });
  const user = renderPage('/channel', { server, as: people.root });
  await expect.poll(shown).toContain('the number of retries is 0');
  await user.click(screen.getByRole('button', { name: 'Do not show again' }));
  await expect.poll(shown).not.toContain('the number of retries is 0');
});

test('the list is filtered by a state, which is in its address', async () => {
  const off = channelSample({ id: 4, name: 'tripped', status: channelStatus.autoDisabled });
  const server = siteWith(channelSample()).answer(channelApi.search, [off]);
  const user = renderPage('/channel', { server, as: people.admin });
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Status' }), 'Auto-disabled');
  expect(await screen.findByRole('row', { name: /tripped/ })).toBeDefined();
  expect(server.inputs(channelApi.search)).toMatchObject([
    { status: channelStatus.autoDisabled, keyword: '' },
  ]);
  expect(window.location.search).toContain('status=autoDisabled');
});

test('a site without channels offers to add one', async () => {
  renderPage('/channel', { server: siteWith(), as: people.admin, language: 'zh' });
  await expect.poll(shown).toContain('还没有渠道');
});

test('a list that fails to load shows an error and can be loaded again', async () => {
  const server = siteWith().fail(channelApi.list);
  const user = renderPage('/channel', { server, as: people.admin });
  await expect.poll(shown).toContain('Could not load');
  server.answer(channelApi.list, listOf(channelSample({ name: 'again' })));
  await tryAgain(user);
  expect(await screen.findByRole('row', { name: /again/ })).toBeDefined();
});

test('a channel is added from the form', async () => {
  const server = siteWith().answer(channelApi.create, [channelSample({ name: 'new' })]);
  const user = renderPage('/channel?edit=new', { server, as: people.admin });
  const form = await screen.findByRole('dialog', { name: 'Add a channel' });
  await user.type(within(form).getByRole('textbox', { name: 'Name' }), 'new');
  await user.type(within(form).getByRole('textbox', { name: 'Key' }), 'sk-vendor');
  await user.click(await within(form).findByRole('button', { name: 'Fill in the provider’s' }));
  await user.click(within(form).getByRole('button', { name: 'Create' }));
  await expect
    .poll(() => server.inputs(channelApi.create))
    .toMatchObject([{ type: 1, name: 'new', key: 'sk-vendor', models: 'gpt-4o', group: 'default' }]);
});

test("a channel is tested from its row, and a failure shows the upstream's message", async () => {
  const server = siteWith(channelSample({ id: 3 })).refuse(channelApi.test, 'The upstream is away');
  const user = renderPage('/channel', { server, as: people.admin });
  await user.click(await screen.findByRole('button', { name: /^Test/ }));
  expect((await screen.findByText(/The upstream is away/)).textContent).toContain('main');
  expect(server.inputs(channelApi.test)).toEqual([{ id: 3, model: '' }]);
});

test('what a test asks for can be chosen, and is left to the server otherwise', async () => {
  const channel = channelSample({ id: 3, models: 'encoder' });
  const server = siteWith(channel)
    .answer(channelApi.get, channel)
    .answer(channelApi.test, { data: null, extra: { time: 0.4 } });
  const user = renderPage('/channel?test=3', { server, as: people.admin });
  const dialog = await screen.findByRole('dialog');
  await user.click(within(dialog).getByRole('button', { name: 'Test' }));
  await user.selectOptions(within(dialog).getByRole('combobox', { name: 'What to test' }), 'Embeddings');
  await user.click(within(dialog).getByRole('button', { name: 'Test' }));
  expect(server.inputs(channelApi.test)).toEqual([
    { id: 3, model: 'encoder' },
    { id: 3, model: 'encoder', kind: 'embeddings' },
  ]);
});

test('an ordinary user is shown that it is for administrators, and nothing is requested', async () => {
  const server = siteWith();
  renderPage('/channel', { server, as: people.user });
  await expect.poll(shown).toContain('This page is for administrators.');
  expect(server.inputs(channelApi.list)).toEqual([]);
});

test('an update of the edited channel keeps the input, and saves no older state', async () => {
  let fresh = channelSample({ name: 'main', status: channelStatus.enabled, priority: 1 });
  const server = siteWith(fresh)
    .answer(channelApi.get, () => fresh)
    .answer(channelApi.testWith, { data: null, extra: { time: 0.4 } })
    .answer(channelApi.update, fresh);
  const user = renderPage('/channel?edit=3', { server, as: people.admin });
  const form = within(await screen.findByRole('dialog', { name: /Edit/ }));
  const name = await form.findByDisplayValue('main');
  await user.clear(name);
  await user.type(name, 'renamed');
  fresh = channelSample({ name: 'main', status: channelStatus.autoDisabled, priority: 9 });
  const asked = server.inputs(channelApi.get).length;
  // After a test in the drawer the channel is read again.
  await user.click(form.getByRole('button', { name: /^Test/ }));
  await expect.poll(() => server.inputs(channelApi.get).length).toBeGreaterThan(asked);
  await expect.poll(() => form.queryByDisplayValue('renamed')).not.toBeNull();
  await user.click(form.getByRole('button', { name: 'Save' }));
  await expect.poll(() => server.inputs(channelApi.update)).toHaveLength(1);
  expect(server.inputs(channelApi.update)[0]).toMatchObject({ id: 3, name: 'renamed' });
  expect(server.inputs(channelApi.update)[0]).not.toHaveProperty('priority');
});

test('a type whose vendor closed is shown where a channel has it, and not offered otherwise', async () => {
  const closed = (type: number, name: string) =>
    channelTypeSample({ type, id: name, name: { zh: name, en: name }, closed: true });
  const old = channelSample({ name: 'brought', type: 11 });
  const server = siteWith(old)
    .answer(channelApi.types, [channelTypeSample(), closed(11, 'Palm'), closed(21, 'Library')])
    .answer(channelApi.get, old);
  const user = renderPage('/channel?edit=3', { server, as: people.admin });
  const form = within(await screen.findByRole('dialog', { name: /Edit/ }));
  await user.click(await form.findByDisplayValue('Palm'));
  await screen.findByRole('option', { name: /Palm/, hidden: true });
  expect(screen.getByRole('option', { name: /OpenAI/, hidden: true })).toBeDefined();
  expect(screen.queryByRole('option', { name: /Library/, hidden: true })).toBeNull();
});

test('Back undoes filters one by one, and what was typed in one field at once', async () => {
  const server = siteWith(channelSample({})).answer(channelApi.search, []);
  const user = renderPage('/channel', { server, as: people.admin });
  const field = await screen.findByRole('textbox', { name: /address/ });
  const search = () => window.location.search;
  await user.type(field, 'open');
  await expect.poll(search).toBe('?keyword=open');
  await user.type(field, ' ai');
  await expect.poll(search).toBe('?keyword=open+ai');
  await user.type(screen.getByRole('textbox', { name: 'Model' }), 'gpt');
  await expect.poll(search).toBe('?keyword=open+ai&model=gpt');
  window.history.back();
  await expect.poll(search).toBe('?keyword=open+ai');
  window.history.back();
  await expect.poll(search).toBe('');
  expect(window.location.pathname).toBe('/channel');
  await expect.poll(() => (field as HTMLInputElement).value).toBe('');
});
