import { screen, within } from '@testing-library/react';
import { logApi, optionApi } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { FakeServer } from '../../../testing/fake-server.ts';
import { renderPage, shown } from '../../../testing/render-page.tsx';
import { people } from '../../../testing/samples.ts';

const site = () => new FakeServer().answer(optionApi.list, { data: [], extra: { secrets_set: [] } });
const cleaner = (server: FakeServer) =>
  renderPage('/setting?q=LogConsumeEnabled', { server, as: people.root });

test('the log is deleted in portions after the number of rows was confirmed', async () => {
  const left = [20_000, 20_000, 3_000];
  const server = site()
    .answer(logApi.countBefore, 1_000_000)
    .answer(logApi.remove, () => left.shift() ?? 0);
  const user = cleaner(server);
  await user.click(await screen.findByRole('button', { name: 'Clear old logs' }));
  const dialog = await screen.findByRole('dialog');
  expect(dialog.textContent).toContain('1,000,000 entries before');
  await user.click(within(dialog).getByRole('button', { name: 'Clear old logs' }));
  await screen.findByText(/43,000 entries were deleted/);
  expect(server.inputs(logApi.remove).map(({ rows }) => rows)).toEqual([20_000, 20_000, 20_000]);
});

test('a deletion shows its progress and ends where it is stopped', async () => {
  const portions: ((deleted: number) => void)[] = [];
  const server = site()
    .answer(logApi.countBefore, 12_000)
    .answer(logApi.remove, () => new Promise<number>((resolve) => portions.push(resolve)));
  const user = cleaner(server);
  await user.click(await screen.findByRole('button', { name: 'Clear old logs' }));
  const dialog = await screen.findByRole('dialog');
  await user.click(within(dialog).getByRole('button', { name: 'Clear old logs' }));
  await expect.poll(() => portions.length).toBe(1);
  portions[0]?.(5_000);
  await expect.poll(shown).toContain('5,000 of 12,000 deleted');
  await user.click(screen.getByRole('button', { name: 'Stop' }));
  await expect.poll(() => portions.length).toBe(2);
  portions[1]?.(5_000);
  await screen.findByText(/Stopped; 10,000 entries were deleted/);
});

test('where nothing is older nothing is confirmed or deleted', async () => {
  const server = site().answer(logApi.countBefore, 0);
  const user = cleaner(server);
  await user.click(await screen.findByRole('button', { name: 'Clear old logs' }));
  await screen.findByText(/There are no entries before/);
  expect(server.inputs(logApi.remove)).toEqual([]);
});

test('a number of days shows what it would delete before it is saved', async () => {
  const server = site().answer(logApi.countBefore, 7);
  const user = renderPage('/setting?q=LogRetentionDays', { server, as: people.root });
  const field = await screen.findByRole('textbox', { name: 'Log retention (days)' });
  expect(server.inputs(logApi.countBefore)).toEqual([]);
  await user.clear(field);
  await user.type(field, '9');
  await expect.poll(shown).toContain('With this many days 7 entries before');
  const today = Math.floor(Date.now() / 86_400_000) * 86_400;
  expect(server.inputs(logApi.countBefore)).toEqual([{ target_timestamp: today - 9 * 86_400 }]);
});
