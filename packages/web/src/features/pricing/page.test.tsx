import { screen, within } from '@testing-library/react';
import { channelApi, modelMonthApi, pricingApi, type PricingItem, replacementApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { people } from '../../testing/samples.ts';
import { pricingSample } from '../../testing/usage-samples.ts';

const groups = {
  group_ratio: { default: 1, vip: 0.5 },
  usable_group: { default: '', vip: '' },
  auto_groups: [],
};
const listOf = (...items: PricingItem[]) => ({ data: items, extra: groups });
const siteWith = (...items: PricingItem[]) => new FakeServer().answer(pricingApi.list, listOf(...items));

test('a guest sees what each model costs in the default group', async () => {
  const server = siteWith(
    pricingSample({ model_name: 'gpt-4o', model_ratio: 1.25, completion_ratio: 4 }),
    pricingSample({ model_name: 'draw', quota_type: 1, model_ratio: 0, model_price: 0.04 }),
  );
  renderPage('/pricing', { server, as: null });
  const tokens = await screen.findByRole('row', { name: /gpt-4o/ });
  expect(tokens.textContent).toMatch(/\$2\.5.*\$10/);
  expect((await screen.findByRole('row', { name: /draw/ })).textContent).toContain('$0.04 / call');
  await expect.poll(shown).toContain('showing prices for the group default');
});

test('a site without models shows that', async () => {
  renderPage('/pricing', { server: siteWith(), as: people.user, language: 'zh' });
  await expect.poll(shown).toContain('没有可用的模型');
});

test('a list that fails to load shows an error and can be loaded again', async () => {
  const server = siteWith().fail(pricingApi.list);
  const user = renderPage('/pricing', { server, as: null });
  await expect.poll(shown).toContain('Could not load');
  server.answer(pricingApi.list, listOf(pricingSample({ model_name: 'late-model' })));
  await tryAgain(user);
  await expect.poll(shown).toContain('late-model');
});

test('a search keeps the models that match', async () => {
  const server = siteWith(pricingSample({ model_name: 'gpt-4o' }), pricingSample({ model_name: 'claude' }));
  const user = renderPage('/pricing', { server, as: null });
  await user.type(await screen.findByRole('textbox', { name: 'Model name' }), 'clau{Enter}');
  await expect.poll(shown).not.toContain('gpt-4o');
  await expect.poll(shown).toContain('claude');
});

const known = pricingSample({ model_name: 'gpt-4o', model_ratio: 1.25, completion_ratio: 4 });
const unpriced = pricingSample({ model_name: 'o3', unset: true });
const unknown = pricingSample({ model_name: 'house-model' });

test('known facts of a model are below its name', async () => {
  renderPage('/pricing', { server: siteWith(known, unknown), as: null });
  const row = await screen.findByRole('row', { name: /gpt-4o/ });
  await expect.poll(() => row.textContent).toMatch(/OpenAI · 128K · Vision · Tools/);
  expect((await screen.findByRole('row', { name: /house-model/ })).textContent).not.toContain('·OpenAI');
});

test('a model that its vendor shuts down has the date', async () => {
  const ending = pricingSample({ model_name: 'gpt-4o-mini-2024-07-18' });
  renderPage('/pricing', { server: siteWith(ending), as: null, language: 'zh' });
  const row = await screen.findByRole('row', { name: /gpt-4o-mini/ });
  await expect.poll(() => row.textContent).toContain('OpenAI · 2027-01-14 停用 · 128K');
});

test('models that end within a month are announced, others are not', async () => {
  const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const ending = (model_name: string, days: number) =>
    pricingSample({ model_name, facts: { vendor: 'openai', ends: at(days), abilities: [] } });
  const later = [11, 12, 13, 14, 15].map((days) => ending(`old-${days}`, days));
  const items = [...later, ending('first-gone', 10), ending('stays', 40), ending('gone', -3)];
  renderPage('/pricing', { server: siteWith(...items), as: people.user });
  const banner = await screen.findByText(/Retired by their vendors soon/);
  expect(banner.textContent).toMatch(/soon: first-gone \(.*old-14 \(.*1 more model has a date/);
  expect(banner.textContent).not.toMatch(/stays|[^-]gone|old-15/);
  expect(screen.queryByRole('button', { name: 'Replace…' }), 'only operators replace them').toBeNull();
});

test('models are filtered by capability; those without known facts are left out', async () => {
  const server = siteWith(known, unknown, pricingSample({ model_name: 'whisper-1' }));
  renderPage('/pricing?vendor=openai&ability=vision', { server, as: null });
  await expect.poll(shown).toContain('OpenAI · 128K');
  expect(shown()).not.toMatch(/house-model|whisper-1/);
});

test('models are compared side by side, a refused one is not shown as available, and the month is priced with each', async () => {
  const server = siteWith(known, unpriced).answer(modelMonthApi.own, ({ model }) => ({
    model,
    start: 0,
    rows: 12,
    before: 500_000,
    after: 1_500_000,
    left_out: { rows: 0, quota: 0 },
    complete: true,
  }));
  const user = renderPage('/pricing', { server, as: people.user });
  for (const name of [/gpt-4o/, /o3/]) {
    const [box] = within(await screen.findByRole('row', { name })).getAllByRole('checkbox');
    await user.click(box!);
  }
  await user.click(screen.getByRole('button', { name: 'Compare' }));
  const table = await screen.findByRole('region', { name: 'Compare' });
  const [can, cannot] = within(within(table).getByRole('row', { name: /^Available/ })).getAllByRole('cell');
  expect(can?.textContent).toContain('The group default can use it');
  expect(cannot?.textContent).toContain('The administrator has set no price: calls to it are refused');
  expect(within(table).queryByRole('rowheader', { name: 'Ratios' })).toBeNull();
  // Nothing here has a price per call, so a line of dashes would be useless.
  expect(within(table).queryByRole('rowheader', { name: 'Per call' })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'This month with each of them' }));
  await expect.poll(() => table.textContent).toMatch(/\$3\.00.*Charged \$1\.00.*12 calls/);
  expect(server.inputs(modelMonthApi.own)).toEqual([{ model: 'gpt-4o' }]);
});

test('prices stand in dollars alone until ratios are asked for', async () => {
  const server = siteWith(known);
  const user = renderPage('/pricing', { server, as: people.user });
  await expect.poll(shown).toContain('$2.50');
  await user.click(screen.getByRole('button', { name: 'Expand' }));
  await expect.poll(shown).toContain('USD per 1M tokens');
  expect(shown()).not.toMatch(/ratio [\d(]|÷|×/);
  await user.click(screen.getByRole('switch', { name: 'Show ratios' }));
  await expect.poll(shown).toMatch(/Your group is default, with ratio 1.*÷ 500,000.*model 1\.25/);
});

test('an operator replaces a retiring model after seeing channels and prices, and undoes it', async () => {
  const soon = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
  const old = pricingSample({
    model_name: 'gpt-5',
    model_ratio: 0.625,
    completion_ratio: 8,
    facts: { vendor: 'openai', ends: soon, abilities: [] },
  });
  const channel = { enabled: true, upstream: 'gpt-5', ends: soon };
  const sent: object[] = [];
  const server = siteWith(old)
    .answer(channelApi.enabledModels, ['gpt-5', 'gpt-6.1-sol'])
    .answer(replacementApi.find, ({ by }) => ({
      successor: 'gpt-6.1-sol',
      channels: [
        { ...channel, id: 1, name: 'one', from: '', priced_after_mapping: false },
        { ...channel, id: 2, name: 'two', from: 'gpt-5', priced_after_mapping: true },
      ],
      prices: {
        model: old,
        by: pricingSample({ model_name: by || 'gpt-6.1-sol', model_ratio: 1, completion_ratio: 5 }),
      },
      list_prices: [
        { model: 'gpt-5', input: 1.25, output: 10 },
        { model: by || 'gpt-6.1-sol', input: 2, output: 10 },
      ],
    }))
    .answer(replacementApi.replace, ({ channels }) => {
      sent.push(...channels);
      return channels.map(({ id }) => id);
    });
  const user = renderPage('/pricing', { server, as: people.admin });
  await user.click(await screen.findByRole('button', { name: 'Replace…' }));
  const dialog = within(await screen.findByRole('dialog'));
  await dialog.findByText(/pay its price: \$1\.25 in, \$10\.00 out/);
  expect(dialog.getByText(/One channel prices the mapped model.*\$2\.00 in/)).toBeTruthy();
  expect(dialog.getByText(/lists for more than customers pay/)).toBeTruthy();
  await user.click(dialog.getByRole('button', { name: 'Replace on 2 channels' }));
  await user.click(await dialog.findByRole('button', { name: 'Undo' }));
  await dialog.findByText('Undone.');
  expect(sent).toEqual([
    { id: 1, from: '', to: 'gpt-6.1-sol' },
    { id: 2, from: 'gpt-5', to: 'gpt-6.1-sol' },
    { id: 1, from: 'gpt-6.1-sol', to: '' },
    { id: 2, from: 'gpt-6.1-sol', to: 'gpt-5' },
  ]);
});
