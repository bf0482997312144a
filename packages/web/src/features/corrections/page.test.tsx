import { screen, within } from '@testing-library/react';
import {
  groupApi,
  pricingApi,
  type RehearsalOutcome,
  rehearsalApi,
  reratingApi,
  type ReratingData,
  type ReratingRowData,
  userApi,
} from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage, shown, tryAgain } from '../../testing/render-page.tsx';
import { pageWith, people, sampleTime } from '../../testing/samples.ts';
import { pricingSample } from '../../testing/usage-samples.ts';

const correction = (given: Partial<ReratingData> = {}): ReratingData => ({
  id: 4,
  state: 'done',
  reason: 'the price of output was mistyped',
  actor_id: 1,
  actor_name: 'root',
  collect: false,
  progress: 1,
  selection: { days: 7, start: 0, end: 0, models: ['gpt-4o'], groups: ['vip'], channel: 0, user: 0 },
  options: [],
  corrected_rows: 2,
  same_rows: 5,
  given_back: 750_000,
  collected: 0,
  uncollected: 0,
  left_rows: 3,
  left_quota: 500_000,
  apart_rows: 0,
  created_time: sampleTime,
  finished_time: sampleTime + 60,
  reverted_time: 0,
  revert_reason: '',
  not_taken_back: 0,
  ...given,
});
const charge: ReratingRowData = {
  id: 1,
  log_id: 9,
  request_id: 'req-9',
  user_id: 2,
  username: 'alice',
  team_id: 0,
  model_name: 'gpt-4o',
  charge_before: 1_000_000,
  charge_after: 250_000,
  difference: -750_000,
  undone: 0,
  state: 'applied',
};
const sums = { rows: 3, before: 1_500_000, after: 750_000 };
const outcome: RehearsalOutcome = {
  total: sums,
  cheaper: { rows: 2, quota: 1_000_000 },
  dearer: { rows: 1, quota: 250_000 },
  costed: { ...sums, rows: 0, cost: 0 },
  apart: [],
  users: [{ id: 2, name: 'alice', ...sums }],
  keys: [],
  models: [{ name: 'gpt-4o', ...sums }],
  changed: { users: 1, keys: 0, models: 1 },
  dry: [],
  dry_count: 0,
};

const siteWith = (...corrections: ReratingData[]) =>
  new FakeServer()
    .answer(reratingApi.list, pageWith(...corrections))
    .answer(reratingApi.get, ({ rerating }) => corrections.find(({ id }) => id === rerating)!)
    .answer(reratingApi.rows, pageWith(charge))
    .answer(rehearsalApi.start, { id: 'tried' })
    .answer(rehearsalApi.stop, null)
    .answer(rehearsalApi.get, { id: 'tried', state: 'done', progress: 1, outcome });

test('corrections are listed with state, actor, reason and sums, and one opens to its charges', async () => {
  const user = renderPage('/correction', { server: siteWith(correction()), as: people.root });
  const row = await screen.findByRole('row', { name: /mistyped/ });
  expect(row.textContent).toMatch(/mistyped.*Done.*root.*2.*\$1\.50/);
  await user.click(within(row).getByRole('button', { name: /mistyped/ }));
  const drawer = await screen.findByRole('dialog', { name: 'Correction #4' });
  const found = await within(drawer).findByRole('row', { name: /alice/ });
  expect(found.textContent).toMatch(/gpt-4o\$2\.00\$0\.50-\$1\.50/);
  expect(within(found).getByRole('link', { name: 'Receipt' }).getAttribute('href')).toMatch(/request=req-9/);
  expect(drawer.textContent).toMatch(/Models.*gpt-4o.*Groups.*vip/);
  expect(drawer.textContent).toContain('3 calls · $1.00');
  expect(window.location.search).toContain('open=4');
});

test('a correction begins from a rehearsal of some charges, with a reason and a confirmation', async () => {
  const server = siteWith(correction({ id: 5, state: 'running', progress: 0.25, reason: 'mistyped' }));
  server
    .answer(reratingApi.list, pageWith())
    .answer(reratingApi.start, correction({ id: 5, state: 'running' }))
    .answer(groupApi.list, ['default', 'vip'])
    .answer(userApi.search, pageWith())
    .answer(pricingApi.list, [pricingSample()] as never);
  const user = renderPage('/correction', { server, as: people.root });
  await expect.poll(shown).toContain('No corrections yet');
  await user.click(screen.getByRole('button', { name: 'New correction' }));
  const drawer = await screen.findByRole('dialog', { name: 'New correction' });
  await user.click(within(drawer).getByRole('button', { name: /Limit to some models/ }));
  await user.type(await within(drawer).findByRole('combobox', { name: 'Models' }), 'gpt-4o{Enter}');
  await user.click(within(drawer).getByRole('button', { name: 'Rehearse' }));
  await user.click(await within(drawer).findByRole('button', { name: 'Correct past charges…' }));
  expect(server.inputs(rehearsalApi.start)).toMatchObject([{ draft: {}, days: 7, models: ['gpt-4o'] }]);
  await user.click(within(drawer).getByRole('button', { name: 'Correct 2 charges…' }));
  expect(drawer.textContent).toContain('Required');
  await user.type(within(drawer).getByRole('textbox', { name: /Reason/ }), 'mistyped');
  await user.click(within(drawer).getByRole('checkbox', { name: /Also collect/ }));
  await user.click(within(drawer).getByRole('button', { name: 'Correct 3 charges…' }));
  const question = await screen.findByRole('dialog', { name: 'Correct 3 charges?' });
  expect(question.textContent).toMatch(
    /Refunded for 2 calls: \$2\.00.*Collected for 1 call, at most: \$0\.50/,
  );
  expect(server.inputs(reratingApi.start)).toEqual([]);
  await user.click(within(question).getByRole('button', { name: 'Begin' }));
  const begun = await screen.findByRole('dialog', { name: 'Correction #5' });
  await within(begun).findByText('In progress');
  expect(within(begun).getByRole('progressbar')).toHaveProperty('ariaValueNow', '25');
  expect(server.inputs(reratingApi.start)).toEqual([
    { rehearsal: 'tried', reason: 'mistyped', collect: true },
  ]);
});

test('a running one is stopped after a confirmation', async () => {
  const server = siteWith(correction({ state: 'running', progress: 0.5 }));
  server.answer(reratingApi.stop, correction({ state: 'stopped' }));
  const user = renderPage('/correction?open=4', { server, as: people.root });
  await user.click(await screen.findByRole('button', { name: 'Stop' }));
  const question = await screen.findByRole('dialog', { name: 'Stop this correction?' });
  await user.click(within(question).getByRole('button', { name: 'Stop' }));
  await expect.poll(() => server.inputs(reratingApi.stop)).toEqual([{ rerating: 4 }]);
});

test('a finished one is undone for a reason, and what cannot be taken back is shown', async () => {
  const server = siteWith(correction());
  const user = renderPage('/correction?open=4', { server, as: people.root });
  await user.click(await screen.findByRole('button', { name: 'Undo…' }));
  const question = await screen.findByRole('dialog', { name: 'Undo this correction?' });
  await user.click(within(question).getByRole('button', { name: 'Undo' }));
  expect(server.inputs(reratingApi.revert)).toEqual([]);
  await user.type(within(question).getByRole('textbox', { name: /Reason/ }), 'it was right');
  server.refuse(reratingApi.revert, 'A later correction changed the same charges');
  await user.click(within(question).getByRole('button', { name: 'Undo' }));
  expect((await within(question).findByRole('alert')).textContent).toContain('A later correction');
  const undone = correction({ state: 'reverted', not_taken_back: 50_000, revert_reason: 'it was right' });
  server
    .answer(reratingApi.revert, correction({ state: 'reverting' }))
    .answer(reratingApi.get, undone)
    .answer(reratingApi.rows, pageWith({ ...charge, state: 'reverted' as const, undone: 700_000 }));
  await user.click(within(question).getByRole('button', { name: 'Undo' }));
  const drawer = screen.getByRole('dialog', { name: 'Correction #4' });
  await within(drawer).findByText('it was right');
  expect(drawer.textContent).toMatch(/Not recovered\$0\.10/);
  const alice = async () => (await within(drawer).findByRole('row', { name: /alice/ })).textContent;
  await expect.poll(alice).toContain('+$1.40');
  expect(within(drawer).queryByRole('button', { name: 'Undo…' })).toBeNull();
  expect(server.inputs(reratingApi.revert)).toContainEqual({ rerating: 4, reason: 'it was right' });
});

test('corrections that fail to load can be loaded again', async () => {
  const server = siteWith().refuse(reratingApi.list, 'The store is closed');
  const user = renderPage('/correction', { server, as: people.root, language: 'zh' });
  await expect.poll(shown).toContain('The store is closed');
  server.answer(reratingApi.list, pageWith(correction()));
  await tryAgain(user);
  await expect.poll(shown).toMatch(/已完成.*root/);
});

test('only root may open it', async () => {
  const server = siteWith();
  renderPage('/correction', { server, as: people.admin });
  await expect.poll(shown).toContain('This page is for');
  expect(server.inputs(reratingApi.list)).toEqual([]);
});
