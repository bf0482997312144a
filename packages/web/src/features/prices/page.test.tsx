import { screen, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import {
  type AnnouncedRatio,
  marginApi,
  type PriceTables,
  priceTableKeys,
  pricesApi,
  rehearsalApi,
  attentionApi,
  noPublishedRatios,
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
    .answer(pricesApi.list, { served, tables, published: noPublishedRatios, announced, follows })
    .answer(marginApi.belowCost, []);
/** Opens the rehearsal and starts it. */
async function rehearsed(user: UserEvent) {
  await user.click(await screen.findByRole('button', { name: 'Rehearse on past usage' }));
  const drawer = await screen.findByRole('dialog', { name: 'Rehearse on past usage' });
  await user.click(within(drawer).getByRole('button', { name: 'Rehearse' }));
  await within(drawer).findByRole('progressbar', { name: 'Repricing past usage' });
}
const row = (name: RegExp) => screen.findByRole('row', { name });
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

test('offered models come first in dollars, with ratios on demand, unpriced ones marked', async () => {
  const user = renderPage('/prices', { server: siteWith(['chat', 'painter', 'nameless']), as: people.admin });
  expect((await row(/chat/)).textContent).toMatch(/\$2\.50\$10\.00/);
  expect(shown()).not.toContain('×');
  await user.click(screen.getByRole('switch', { name: 'Show ratios' }));
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
  // The accessible name begins with the visible text.
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
  const chat = async () => (await row(/chat/)).textContent;
  await expect.poll(chat).toContain('$2.75');
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  await expect.poll(shown).not.toContain('prices changed');
  await expect.poll(chat).toContain('$2.50');
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
  server.answer(pricesApi.list, {
    served: ['chat'],
    tables,
    published: noPublishedRatios,
    announced: [],
    follows: true,
  });
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
  const server = siteWith(['chat']).answer(attentionApi.get, { unpriced: 3, settings: [], retries: 1 });
  renderPage('/prices', { server, as: people.root, language: 'zh' });
  expect((await screen.findByRole('link', { name: /价格.*3/ })).textContent).toContain(
    '3 个正在提供的模型没有价格',
  );
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
