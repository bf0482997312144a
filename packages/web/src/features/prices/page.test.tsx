import { screen, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import {
  type AnnouncedRatio,
  marginApi,
  optionApi,
  type PriceTables,
  priceListFailures,
  type PriceListFailure,
  priceSyncApi,
  priceTableKeys,
  pricesApi,
  rehearsalApi,
  unpricedApi,
  type SyncReport,
  type SyncRow,
} from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { people } from '../../testing/samples.ts';

const tables: PriceTables = {
  ...(Object.fromEntries(priceTableKeys.map((key) => [key, {}])) as PriceTables),
  ModelRatio: { chat: 1.25, resting: 5 },
  CompletionRatio: { chat: 4 },
  ModelPrice: { painter: 0.04 },
};
const siteWith = (served: string[], announced: AnnouncedRatio[] = [], follows = true) =>
  new FakeServer()
    .answer(pricesApi.list, { served, tables, announced, follows })
    .answer(marginApi.belowCost, []);
/** Opens the rehearsal and starts it. */
async function rehearsed(user: UserEvent) {
  await user.click(await screen.findByRole('button', { name: 'Rehearse on past usage' }));
  const drawer = await screen.findByRole('dialog', { name: 'Price rehearsal' });
  await user.click(within(drawer).getByRole('button', { name: 'Start' }));
  await within(drawer).findByRole('progressbar', { name: 'Repricing past usage' });
}
const row = (name: RegExp) => screen.findByRole('row', { name });
/** Approves the one price that is ticked, after it was shown before and after. */
async function approved(user: UserEvent, seen: RegExp) {
  await user.click(await screen.findByRole('button', { name: 'Approve 1 price' }));
  const review = await screen.findByRole('dialog', { name: 'Approve 1 price?' });
  expect(review.textContent).toMatch(seen);
  await user.click(within(review).getByRole('button', { name: 'Approve' }));
}

test.each([
  [true, 'takes effect automatically'],
  [false, 'its own ratios'],
])(
  'an announced price is shown beside today’s, with whether it applies by itself: %s',
  async (follows, hint) => {
    const announced = [{ model: 'chat', day: '2026-12-01', ratio: 2.5 }];
    renderPage('/prices', { server: siteWith(['chat', 'painter'], announced, follows), as: people.admin });
    const tag = within(await row(/chat/)).getByTitle(new RegExp(hint));
    expect(tag.textContent).toBe('Vendor price from 2026-12-01: $5.00 in, $20.00 out');
    expect((await row(/painter/)).textContent).not.toMatch(/Vendor price/);
  },
);

test('offered models come first, dollars first and the ratio beside, unpriced ones marked', async () => {
  renderPage('/prices', { server: siteWith(['chat', 'painter', 'nameless']), as: people.admin });
  expect((await row(/chat/)).textContent).toMatch(/\$2\.50 ×1\.25.*\$10\.00 ×4/);
  expect((await row(/painter/)).textContent).toMatch(/\$0\.04 \/ call/);
  expect((await row(/nameless/)).textContent).toMatch(/Unpriced/);
  const names = screen.getAllByRole('row').map(({ textContent }) => textContent ?? '');
  expect(names.findIndex((name) => name.includes('nameless'))).toBeLessThan(
    names.findIndex((name) => name.includes('resting')),
  );
  expect(screen.queryByRole('button', { name: /Edit the price/ })).toBeNull();
});

test('root sees what sells below cost, until a saved price covers it', async () => {
  const server = siteWith(['chat']).answer(pricesApi.update, { changed: 1 });
  server.answer(marginApi.belowCost, [{ channel: 3, name: 'main', models: ['chat'], groups: ['vip'] }]);
  const user = renderPage('/prices', { server, as: people.root });
  await expect.poll(shown).toMatch(/Sold below cost: main \(chat\)/);
  expect(screen.getByRole('link', { name: 'main' }).getAttribute('href')).toBe('/channel?edit=3');
  await user.click(await screen.findByRole('button', { name: 'Edit the price of chat' }));
  const form = await screen.findByRole('dialog', { name: 'Edit the price of chat' });
  await user.type(within(form).getByLabelText('Input / 1M'), '9');
  await user.click(within(form).getByRole('button', { name: 'Apply' }));
  await user.click(await screen.findByRole('button', { name: 'Review the changes' }));
  server.answer(marginApi.belowCost, []);
  await user.click(await screen.findByRole('button', { name: 'Save the prices' }));
  await expect.poll(shown).not.toContain('Sold below cost');
});

test('administrators do not see what sells below cost', async () => {
  const server = siteWith(['chat']);
  renderPage('/prices', { server, as: people.admin });
  await row(/chat/);
  expect(server.inputs(marginApi.belowCost)).toEqual([]);
});

test('a price is typed in dollars, reviewed, and saved with the version that was seen', async () => {
  const server = siteWith(['chat', 'nameless']).answer(pricesApi.update, { changed: 1 });
  const user = renderPage('/prices', { server, as: people.root });
  // What is read out begins with what is written.
  const button = await screen.findByRole('button', { name: 'Set price of nameless' });
  expect(button.getAttribute('aria-label')).toContain(button.textContent);
  await user.click(button);
  const form = await screen.findByRole('dialog', { name: 'Set price of nameless' });
  // Without a price there is none to multiply or to remove, and no default to show.
  expect(within(form).queryByText('Multiply')).toBeNull();
  expect(within(form).queryByRole('button', { name: 'Remove the price' })).toBeNull();
  expect(form.textContent).not.toContain('shown in grey');
  await user.type(within(form).getByLabelText('Input / 1M'), '3');
  await user.type(within(form).getByLabelText('Output / 1M'), '15');
  await user.click(within(form).getByRole('button', { name: 'Apply' }));
  await user.click(await screen.findByRole('button', { name: 'Review the changes' }));
  const review = await screen.findByRole('dialog', { name: '1 price changed' });
  expect(review.textContent).toMatch(/nameless.*Was unpriced.*Input \/ 1M–\$3\.00.*Output \/ 1M–\$15\.00/);
  await user.click(within(review).getByRole('button', { name: 'Save the prices' }));
  await expect
    .poll(() => server.inputs(pricesApi.update))
    .toEqual([
      {
        changes: [
          {
            model: 'nameless',
            set: { ModelRatio: 1.5, CompletionRatio: 5 },
            seen: { ModelRatio: null, CompletionRatio: null },
          },
        ],
      },
    ]);
});

test('a draft is rehearsed on past usage before it is saved, with the whole tables that would be written', async () => {
  const server = siteWith(['chat'])
    .answer(rehearsalApi.start, { id: 'r1' })
    .answer(rehearsalApi.get, { id: 'r1', state: 'running', progress: 0.5, outcome: null })
    .answer(rehearsalApi.stop, null);
  const user = renderPage('/prices', { server, as: people.root });
  await user.click(await screen.findByRole('button', { name: 'Edit the price of chat' }));
  const form = await screen.findByRole('dialog', { name: 'Edit the price of chat' });
  await user.clear(within(form).getByLabelText('Input / 1M'));
  await user.type(within(form).getByLabelText('Input / 1M'), '5');
  await user.click(within(form).getByRole('button', { name: 'Apply' }));
  await rehearsed(user);
  const [asked] = server.inputs(rehearsalApi.start);
  expect(JSON.parse(asked?.draft['ModelRatio'] ?? '')).toEqual({ chat: 2.5, resting: 5 });
});

test('several prices are multiplied at once, and a step is undone', async () => {
  const server = siteWith(['chat', 'painter', 'newcomer']).answer(pricesApi.update, { changed: 2 });
  const user = renderPage('/prices', { server, as: people.root });
  for (const name of [/chat/, /painter/, /newcomer/])
    await user.click(within(await row(name)).getByRole('checkbox'));
  await user.click(screen.getByRole('button', { name: 'Change the prices of 3 models' }));
  const form = await screen.findByRole('dialog', { name: 'Change the prices of 3 models' });
  await user.click(within(form).getByText('Multiply'));
  expect(form.textContent).toContain('1 of them has no price and stays without.');
  await user.type(within(form).getByLabelText('Factor'), '1.1');
  await user.click(within(form).getByRole('button', { name: 'Apply' }));
  await expect.poll(shown).toContain('2 prices changed');
  expect((await row(/chat/)).textContent).toContain('$2.75');
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  await expect.poll(shown).not.toContain('prices changed');
  expect((await row(/chat/)).textContent).toContain('$2.50');
  expect(server.inputs(pricesApi.update)).toEqual([]);
});

test('an invalid number is refused, and nothing is applied', async () => {
  const user = renderPage('/prices', { server: siteWith(['chat']), as: people.root });
  await user.click(await screen.findByRole('button', { name: 'Edit the price of chat' }));
  const form = await screen.findByRole('dialog', { name: 'Edit the price of chat' });
  await user.type(within(form).getByLabelText('Input / 1M'), 'x');
  await user.click(within(form).getByRole('button', { name: 'Apply' }));
  expect(form.textContent).toContain('Please enter a number');
});

test('a list that fails to load shows an error and can be loaded again', async () => {
  const server = siteWith(['chat']).refuse(pricesApi.list, 'The store is closed');
  const user = renderPage('/prices', { server, as: people.admin });
  await expect.poll(shown).toContain('The store is closed');
  server.answer(pricesApi.list, { served: ['chat'], tables, announced: [], follows: true });
  await tryAgain(user);
  await expect.poll(shown).toContain('$2.50');
});

test('an ordinary user is shown that it is for administrators, and nothing is requested', async () => {
  const server = siteWith([]);
  renderPage('/prices', { server, as: people.user });
  await expect.poll(shown).toContain('This page is for administrators.');
  expect(server.inputs(pricesApi.list)).toEqual([]);
});

test('the menu counts models on offer without a price, for root', async () => {
  const server = siteWith(['chat']).answer(unpricedApi.count, { count: 3 });
  renderPage('/prices', { server, as: people.root, language: 'zh' });
  expect((await screen.findByRole('link', { name: /价格.*3/ })).textContent).toContain(
    '3 个正在提供的模型没有价格',
  );
});

const offer = {
  dollars: { input: 3, output: 15 },
  set: { ModelRatio: 1.5, CompletionRatio: 5 },
  dearer: null,
};
const listed = (some: Partial<SyncRow>): SyncRow => ({
  model: 'new-model',
  vendor: 'openai',
  served: true,
  state: 'new',
  today: null,
  seen: {},
  offers: [{ ...offer, sources: ['models_dev', 'litellm'], needs_own: false }],
  decided: true,
  ...some,
});
const read = { cause: '', status: 0, reason: '' } as const;
const failedBy = (cause: PriceListFailure, status = 0) => ({
  cause,
  status,
  reason: 'Error: in the words of the log',
});
const reportOf = (...rows: SyncRow[]): SyncReport => ({
  enabled: true,
  checked_time: 1_790_000_000,
  sources: [
    { source: 'models_dev', state: 'ok', models: 4, free: 1, ...read },
    { source: 'litellm', state: 'failed', models: 0, free: 0, ...failedBy('status', 500) },
    { source: 'openrouter', state: 'off', models: 0, free: 0, ...read },
  ],
  rows,
  same: 12,
  unlisted: ['nobody-knows'],
});
const jumping = listed({
  model: 'jumper',
  state: 'change',
  today: { input: 1, output: 1 },
  seen: { ModelRatio: 0.5 },
  offers: [{ ...offer, sources: ['models_dev', 'litellm'], dearer: 15, needs_own: true }],
});

test('lists are off until they are enabled', async () => {
  const off: SyncReport = { enabled: false, checked_time: 0, sources: [], rows: [], same: 0, unlisted: [] };
  const server = siteWith([]).answer(priceSyncApi.compare, off).answer(optionApi.update, null);
  const user = renderPage('/prices?tab=sync', { server, as: people.root });
  const button = await screen.findByRole('button', { name: 'Turn on' });
  server.answer(priceSyncApi.compare, reportOf());
  await user.click(button);
  await expect.poll(shown).toContain('Nothing to change');
  expect(server.inputs(optionApi.update)).toEqual([{ key: 'PriceSyncEnabled', value: 'true' }]);
  expect(shown()).toMatch(/LiteLLMCould not be read.*answered with HTTP status 500/);
});

test.each(priceListFailures)('why a list could not be read is said in Chinese: %s', async (cause) => {
  const report = reportOf();
  const sources = report.sources.map((source) =>
    source.source === 'litellm' ? { ...source, ...failedBy(cause, 503) } : source,
  );
  renderPage('/prices?tab=sync', {
    server: siteWith([]).answer(priceSyncApi.compare, { ...report, sources }),
    as: people.root,
    language: 'zh',
  });
  await expect.poll(shown).toMatch(/LiteLLM读取失败[^A-Za-z]*(HTTP|TLS|JSON|MB)?[^A-Za-z]*OpenRouter/);
  expect(shown()).not.toMatch(/LiteLLM读取失败OpenRouter/);
});

test('where no list could be read, nobody is told that the prices match', async () => {
  const report = reportOf();
  const unread: SyncReport = {
    ...report,
    same: 0,
    unlisted: [],
    sources: report.sources.map((source) => ({ ...source, state: 'failed' as const })),
  };
  renderPage('/prices?tab=sync', {
    server: siteWith([]).answer(priceSyncApi.compare, unread),
    as: people.root,
  });
  await expect.poll(shown).toContain('No list to compare with');
  expect(shown()).not.toMatch(/match/);
});

test('a rule ticks what two lists say and leaves jumps; what is ticked is approved as seen', async () => {
  const server = siteWith([])
    .answer(priceSyncApi.compare, reportOf(listed({}), jumping))
    .answer(priceSyncApi.approve, { changed: 1 });
  const user = renderPage('/prices?tab=sync', { server, as: people.root });
  await user.click(await screen.findByRole('button', { name: 'Choose by a rule' }));
  await approved(user, /new-model.*Was unpriced.*Input \/ 1M–\$3\.00/);
  const rule = { model: 'new-model', seen: {}, set: offer.set, own: false };
  await expect.poll(() => server.inputs(priceSyncApi.approve)).toEqual([{ rows: [rule] }]);
  await user.click(within(await row(/jumper/)).getByRole('checkbox'));
  await approved(user, /jumper/);
  const own = { model: 'jumper', seen: { ModelRatio: 0.5 }, set: offer.set, own: true };
  await expect.poll(() => server.inputs(priceSyncApi.approve).at(-1)).toEqual({ rows: [own] });
});

test('a price that changes in both directions shows both, and models in no list are named', async () => {
  const mixed = listed({
    state: 'change',
    today: { input: 3.3, output: 10 },
    offers: [{ ...offer, sources: ['litellm'], dearer: 1.5, needs_own: false }],
  });
  const server = siteWith([]).answer(priceSyncApi.compare, reportOf(mixed));
  renderPage('/prices?tab=sync', { server, as: people.root });
  expect((await row(/new-model/)).textContent).toContain('up to 50% higherup to 9.09% lower');
  expect(shown()).toContain('1 unpriced model on offer is in no list: nobody-knows');
});

test('what is ticked is rehearsed on past usage before it is approved', async () => {
  const server = siteWith([])
    .answer(priceSyncApi.compare, reportOf(listed({}), jumping))
    .answer(rehearsalApi.start, { id: 'r1' })
    .answer(rehearsalApi.get, { id: 'r1', state: 'running', progress: 0.5, outcome: null })
    .answer(rehearsalApi.stop, null);
  const user = renderPage('/prices?tab=sync', { server, as: people.root });
  await user.click(within(await row(/new-model/)).getByRole('checkbox'));
  await rehearsed(user);
  const [asked] = server.inputs(rehearsalApi.start);
  expect(JSON.parse(asked?.draft['ModelRatio'] ?? '')).toEqual({ chat: 1.25, resting: 5, 'new-model': 1.5 });
  expect(JSON.parse(asked?.draft['CompletionRatio'] ?? '')).toEqual({ chat: 4, 'new-model': 5 });
  expect(server.inputs(priceSyncApi.approve)).toEqual([]);
});

test('ticking all leaves out what needs an approval of its own', async () => {
  const server = siteWith([]).answer(
    priceSyncApi.compare,
    reportOf(listed({}), listed({ model: 'other' }), jumping),
  );
  const user = renderPage('/prices?tab=sync', { server, as: people.root });
  const [all] = within(await row(/Vendor/)).getAllByRole('checkbox');
  await user.click(all!);
  expect(await screen.findByRole('button', { name: 'Approve 2 prices' })).toBeTruthy();
});

test('where lists disagree each price is offered, and the chosen one is approved', async () => {
  const both = listed({
    decided: false,
    offers: [
      { ...offer, sources: ['models_dev'], needs_own: false },
      { ...offer, sources: ['litellm'], dollars: { input: 4 }, set: { ModelRatio: 2 }, needs_own: false },
      { ...offer, sources: ['openrouter'], dollars: { input: 5 }, dearer: 1, needs_own: false },
    ],
    state: 'change',
    today: { input: 5 },
  });
  const server = siteWith([])
    .answer(priceSyncApi.compare, reportOf(both))
    .answer(priceSyncApi.approve, { changed: 1 });
  const user = renderPage('/prices?tab=sync', { server, as: people.root });
  expect((await row(/new-model/)).textContent).toContain('Lists disagree');
  expect(screen.getAllByRole('radio', { name: /As today/ })).toEqual([
    screen.getByRole('radio', { name: /OpenRouter/ }),
  ]);
  await user.click(screen.getByRole('radio', { name: /LiteLLM/ }));
  await user.click(within(await row(/new-model/)).getByRole('checkbox'));
  await approved(user, /new-model/);
  await expect
    .poll(() => server.inputs(priceSyncApi.approve))
    .toMatchObject([{ rows: [{ set: { ModelRatio: 2 }, own: true }] }]);
});

test('an address with names lists these models alone, offered or not, chosen to be priced together', async () => {
  const user = renderPage('/prices?names=new-one,chat', {
    server: siteWith(['chat', 'painter']),
    as: people.root,
  });
  await row(/new-one/);
  await row(/chat/);
  expect(screen.queryByRole('row', { name: /painter/ })).toBeNull();
  expect(screen.getByRole('button', { name: 'Change the prices of 2 models' })).toBeDefined();
  const all = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select all on this page' });
  expect([all.checked, all.indeterminate]).toEqual([true, false]);
  await user.click(screen.getByRole('button', { name: 'Show all models' }));
  await row(/painter/);
});
