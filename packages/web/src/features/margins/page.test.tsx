import { screen, within } from '@testing-library/react';
import { marginApi, type MarginData, type MarginRow } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { people } from '../../testing/samples.ts';

const sample = (given: Partial<MarginRow> = {}): MarginRow => ({
  id: 3,
  name: 'main',
  calls: 12,
  charge: 1_000_000,
  cost: 800_000,
  margin: 200_000,
  unknown_calls: 0,
  unknown_charge: 0,
  ...given,
});
const data = (...rows: MarginRow[]): MarginData => ({ rows, total: rows[0] ?? sample(), truncated: false });
const siteWith = (...rows: MarginRow[]) =>
  new FakeServer().answer(marginApi.sums, data(...rows)).answer(marginApi.belowCost, []);
const row = (name: RegExp) => screen.findByRole('row', { name });

test('each row has charge, cost and margin, and links to its calls', async () => {
  renderPage('/margin', { server: siteWith(sample()), as: people.root });
  const found = await row(/main/);
  expect(found.textContent).toMatch(/main12\$2\.00\$1\.60\$0\.4080\.0%/);
  const href = within(found).getByRole('link', { name: 'View in log' }).getAttribute('href')!;
  expect(href).toMatch(/^\/log\?.*channel=3/);
});

test('losses and unknown costs are marked; models below cost are listed with their channel', async () => {
  const loss = sample({ margin: -500_000, cost: 1_500_000, unknown_calls: 7, unknown_charge: 250_000 });
  const server = siteWith(loss).answer(marginApi.belowCost, [
    { channel: 3, name: 'main', models: ['gpt-4o', 'o1'], groups: ['vip'] },
  ]);
  renderPage('/margin', { server, as: people.root });
  await expect.poll(shown).toMatch(/Sold below cost: main \(gpt-4o, o1\) in the group vip/);
  expect((await row(/main/)).textContent).toMatch(/-\$1\.00.*150\.0%.*\$0\.50/);
  await expect.poll(shown).toContain('7 calls');
});

test('calls of unknown cost are marked, and in no sum', async () => {
  const nothing = { calls: 0, charge: 0, cost: 0, margin: 0 };
  renderPage('/margin', {
    server: siteWith(
      sample(),
      sample({ ...nothing, id: 4, name: 'new', unknown_calls: 1_600, unknown_charge: 500_000 }),
    ),
    as: people.root,
  });
  expect((await row(/new/)).textContent).toMatch(/new0–––\$1\.00 · 1,600 calls/);
});

test('a column sorts the rows, in the address; figures beside each other have the same decimals', async () => {
  const worst = sample({ id: 5, name: 'worst', charge: 100_000, cost: 250_000, margin: -150_000 });
  const server = siteWith(sample({ unknown_calls: 3, unknown_charge: 77_000 }), worst);
  const user = renderPage('/margin', { server, as: people.root });
  await row(/worst/);
  // Only $0.154 alone would have six decimals.
  expect(shown()).toMatch(/Cost unknown\$0\.153 calls/);
  const names = () =>
    screen.getAllByRole('row').flatMap((each) => /^(main|worst)/.exec(each.textContent ?? '')?.[1] ?? []);
  expect(names()).toEqual(['main', 'worst']);
  const head = screen.getByRole('columnheader', { name: 'Margin' });
  await user.click(within(head).getByRole('button'));
  await user.click(within(head).getByRole('button'));
  await expect.poll(names).toEqual(['worst', 'main']);
  expect(location.search).toContain('sort=margin');
});

test('another grouping is loaded, and its rows link to the calls of the day', async () => {
  const server = siteWith(sample({ id: 86_400, name: '1970-01-02' }));
  const user = renderPage('/margin?range=all', { server, as: people.root });
  await user.click(await screen.findByRole('radio', { name: 'Day' }));
  await expect
    .poll(() => server.inputs(marginApi.sums).at(-1))
    .toMatchObject({ by: 'day', start_timestamp: 0, end_timestamp: 0 });
  await expect
    .poll(async () =>
      within(await row(/1970-01-02/))
        .getByRole('link')
        .getAttribute('href'),
    )
    .toMatch(/start=86400.*end=172799/);
});

test('an empty list shows a message; sums that fail can be loaded again', async () => {
  const server = siteWith().refuse(marginApi.sums, 'The store is closed');
  const user = renderPage('/margin', { server, as: people.root, language: 'zh' });
  await expect.poll(shown).toContain('The store is closed');
  server.answer(marginApi.sums, data());
  await tryAgain(user);
  await expect.poll(shown).toContain('该时段没有计费调用');
});

test('only root may open it', async () => {
  const server = siteWith();
  renderPage('/margin', { server, as: people.admin });
  await expect.poll(shown).toContain('This page is for');
  expect(server.inputs(marginApi.sums)).toEqual([]);
});
