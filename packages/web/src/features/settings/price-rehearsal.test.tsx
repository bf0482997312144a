import { screen, within } from '@testing-library/react';
import { optionApi, rehearsalApi, type RehearsalData, type RehearsalOutcome } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../testing/fake-server.ts';
import { renderPage } from '../../testing/render-page.tsx';
import { people } from '../../testing/samples.ts';

const sums = { rows: 3, before: 500_000, after: 1_000_000 };
const outcome: RehearsalOutcome = {
  total: sums,
  cheaper: { rows: 0, quota: 0 },
  dearer: { rows: 3, quota: 500_000 },
  costed: { rows: 2, before: 300_000, after: 400_000, cost: 250_000 },
  apart: [{ reason: 'no_terms', rows: 2, quota: 500 }],
  users: [{ id: 2, name: 'alice', ...sums }],
  keys: [
    { id: 1, name: 'laptop', user_id: 2, user_name: 'alice', ...sums },
    { id: 0, name: '', user_id: 3, user_name: 'bob', ...sums },
    { id: 9, name: '', user_id: 3, user_name: 'bob', ...sums },
  ],
  models: [{ name: 'gpt-4o', ...sums }],
  changed: { users: 1, keys: 1, models: 1 },
  dry: [
    {
      kind: 'user',
      id: 2,
      name: 'alice',
      balance: 100,
      before: 500_000,
      after: 1_000_000,
      below_zero: true,
      days_left_before: 0,
      days_left: 0,
    },
  ],
  dry_count: 1,
};

/** The settings of a site, with an edited ratio that is not saved. */
async function openWithDraft(server: FakeServer) {
  server.answer(optionApi.list, {
    data: [{ key: 'GroupRatio', value: '{"default": 1}' }],
    extra: { secrets_set: [] },
  });
  const user = renderPage('/setting?q=GroupRatio', { server, as: people.root });
  await user.click((await screen.findAllByRole('radio', { name: 'JSON' }))[0]!);
  const field = await screen.findByDisplayValue('{"default": 1}');
  await user.clear(field);
  await user.click(field);
  await user.paste('{"default": 2}');
  await user.click(await screen.findByRole('button', { name: 'Rehearse on past usage' }));
  return user;
}

test('a price that is not saved yet is rehearsed on past usage, and the outcome is shown', async () => {
  const running: RehearsalData = { id: 'first', state: 'running', progress: 0.4, outcome: null };
  const done: RehearsalData = { id: 'first', state: 'done', progress: 1, outcome };
  let asked = 0;
  const first = Promise.withResolvers<RehearsalData>();
  const server = new FakeServer()
    .answer(rehearsalApi.start, { id: 'first' })
    .answer(rehearsalApi.stop, null)
    .answer(rehearsalApi.get, () => ((asked += 1) === 1 ? first.promise : done));
  const user = await openWithDraft(server);
  const drawer = await screen.findByRole('dialog', { name: 'Rehearse on past usage' });
  await user.click(within(drawer).getByRole('button', { name: 'Rehearse' }));
  // It cannot be started again until its state is known.
  await expect.poll(() => asked).toBe(1);
  expect(within(drawer).getByRole('button', { name: 'Rehearse' })).toHaveProperty('disabled', true);
  first.resolve(running);
  const bar = await within(drawer).findByRole('progressbar', { name: 'Repricing past usage' });
  expect(bar.getAttribute('aria-valuenow')).toBe('40');
  expect(drawer.textContent).toContain('40.0%');
  expect((await within(drawer).findByText('gpt-4o')).closest('tr')?.textContent).toContain('+100.0%');
  expect((await within(drawer).findByText('Not covered')).closest('tr')?.textContent).toContain('alice');
  expect(
    (await within(drawer).findByText('No price details (older or imported records)')).closest('tr')
      ?.textContent,
  ).toContain('2');
  for (const name of ['laptop · alice', 'Playground · bob', 'a deleted key (id 9) · bob'])
    expect(within(drawer).getByText(name)).toBeDefined();
  // Adjacent figures have the same number of decimals, and omitted parts of a figure are named.
  expect(drawer.textContent).toContain('$0.30It was $0.10 · the cost of 2 calls is known');
  expect(server.inputs(rehearsalApi.start)).toMatchObject([
    { draft: { GroupRatio: '{"default": 2}' }, days: 7 },
  ]);
});

test('a running rehearsal can be stopped', async () => {
  const server = new FakeServer()
    .answer(rehearsalApi.start, { id: 'first' })
    .answer(rehearsalApi.stop, null)
    .answer(rehearsalApi.get, { id: 'first', state: 'running', progress: 0.4, outcome: null });
  const user = await openWithDraft(server);
  await user.click(await screen.findByRole('button', { name: 'Rehearse' }));
  await user.click(await screen.findByRole('button', { name: 'Stop' }));
  await expect.poll(() => server.inputs(rehearsalApi.stop)).toEqual([{ rehearsal: 'first' }]);
  expect(await screen.findByRole('button', { name: 'Rehearse' })).toBeDefined();
});

test('settings other than prices have no rehearsal', async () => {
  const server = new FakeServer().answer(optionApi.list, { data: [], extra: { secrets_set: [] } });
  const user = renderPage('/setting?q=SystemName', { server, as: people.root });
  await user.type(await screen.findByRole('textbox', { name: 'Site name' }), 'X');
  await screen.findByRole('button', { name: 'Save' });
  expect(screen.queryByRole('button', { name: 'Rehearse on past usage' })).toBeNull();
});
