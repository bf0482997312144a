import { screen, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import {
  marginApi,
  optionApi,
  type PriceTables,
  priceListFailures,
  type PriceListFailure,
  priceSyncApi,
  priceTableKeys,
  pricesApi,
  rehearsalApi,
  type SyncReport,
  type SyncRow,
  noPublishedRatios,
} from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown } from '../../testing/render-page.tsx';
import { people } from '../../testing/samples.ts';

const tables: PriceTables = {
  ...(Object.fromEntries(priceTableKeys.map((key) => [key, {}])) as PriceTables),
  ModelRatio: { chat: 1.25, resting: 5 },
  CompletionRatio: { chat: 4 },
  ModelPrice: { painter: 0.04 },
};
const siteWith = (served: string[]) =>
  new FakeServer()
    .answer(pricesApi.list, { served, tables, published: noPublishedRatios, announced: [], follows: true })
    .answer(marginApi.belowCost, []);
/** Opens the rehearsal and starts it. */
async function rehearsed(user: UserEvent) {
  await user.click(await screen.findByRole('button', { name: 'Rehearse on past usage' }));
  const drawer = await screen.findByRole('dialog', { name: 'Rehearse on past usage' });
  await user.click(within(drawer).getByRole('button', { name: 'Rehearse' }));
  await within(drawer).findByRole('progressbar', { name: 'Repricing past usage' });
}
const row = (name: RegExp) => screen.findByRole('row', { name });
/** Approves the only selected price, after the comparison of old and new price is shown. */
async function approved(user: UserEvent, seen: RegExp) {
  await user.click(await screen.findByRole('button', { name: 'Approve 1 price' }));
  const review = await screen.findByRole('dialog', { name: 'Approve 1 price?' });
  expect(review.textContent).toMatch(seen);
  await user.click(within(review).getByRole('button', { name: 'Approve' }));
}

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
  const user = renderPage('/prices/vendors', { server, as: people.root });
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
  renderPage('/prices/vendors', {
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
  renderPage('/prices/vendors', {
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
  const user = renderPage('/prices/vendors', { server, as: people.root });
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
  renderPage('/prices/vendors', { server, as: people.root });
  expect((await row(/new-model/)).textContent).toContain('up to 50% higherup to 9.09% lower');
  expect(shown()).toContain('1 unpriced model on offer is in no list: nobody-knows');
});

test('what is ticked is rehearsed on past usage before it is approved', async () => {
  const server = siteWith([])
    .answer(priceSyncApi.compare, reportOf(listed({}), jumping))
    .answer(rehearsalApi.start, { id: 'r1' })
    .answer(rehearsalApi.get, { id: 'r1', state: 'running', progress: 0.5, outcome: null })
    .answer(rehearsalApi.stop, null);
  const user = renderPage('/prices/vendors', { server, as: people.root });
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
  const user = renderPage('/prices/vendors', { server, as: people.root });
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
  const user = renderPage('/prices/vendors', { server, as: people.root });
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
